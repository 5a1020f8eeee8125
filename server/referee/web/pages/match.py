"""One match: live while it is played, and afterwards as a replay that can be stepped through and linked into."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from referee.analysis.replay import Perspective, Replay, Step, perspectives
from referee.match.result import Ending
from referee.store import MatchState, StoredMatch
from referee.web import links
from referee.web.markup import Child, Html, join, name_of, tag
from referee.web.pages.layout import empty, page, part
from referee_leaderboard.names import count, decimal, plural

if TYPE_CHECKING:
    from referee.web.live_match import ShownMatch
    from referee.web.site import Site

NOT_THERE = {
    MatchState.SCHEDULED: "This match has not begun yet.",
    MatchState.PLAYING: "This match is being played by another process. Its replay is here as soon as it is over.",
    MatchState.ABSENT: "This match was not played: {reason}.",
    MatchState.VOID: "This match has no result: {reason}.",
}


def live(site: Site, public: ShownMatch, embed: bool) -> str:
    """A match that is being played, as the public sees it."""
    parts, match = public.parts(), public.match
    late = f" Shown {plural(public.delay, 'decision')} late." if public.delay else ""
    return page(
        site,
        f"Match {match.id}",
        None if embed else _title(match.id, match.game.name, match.game.title),
        part("live", parts["live"], class_="headline"),
        tag(
            "div",
            tag("section", _board(links.link("/pictures", match.id), board_words(public)), class_="panel main board"),
            None
            if embed
            else tag(
                "div",
                tag("section", tag("h2", "Seats"), part("seats", parts["seats"]), class_="panel"),
                tag(
                    "section",
                    tag("h2", "What happened"),
                    tag(
                        "div",
                        part("words", parts["words"], element="ol", class_="words"),
                        role="log",
                        aria_label="What happened",
                        tabindex=0,
                    ),
                    tag("p", f"Newest first.{late}", class_="soft"),
                    class_="panel",
                ),
                class_="aside",
            ),
            class_="columns" if not embed else None,
        ),
        live=links.link("/live/matches", match.id),
        kind="embed" if embed else "",
        bare=embed,
        place="tournaments",
    )


def _title(match: str, game: str, title: str) -> Html:
    where, _, number = match.rpartition("/")
    up = tag("a", name_of(where), href=links.tournament(where)) if where != "practice" else tag("span", "Practice")
    return tag(
        "div",
        tag("h1", "Match ", number),
        tag("p", up, " · ", tag("a", title, href=links.game(game)), class_="beside"),
        class_="title",
    )


def _board(picture: str, words: str) -> Html:
    return tag("img", src=picture, alt=words, id="board", class_="picture", data_part="board")


def board_words(public: ShownMatch) -> str:
    """The board for those who cannot see it: the scores, and what happened last."""
    scores = ", ".join(f"{name} {score}" for name, score in zip(public.match.names, public.scores(), strict=True))
    last = [text for number, text in public.words if number == public.decisions]
    return f"{public.match.game.title} after {plural(public.decisions, 'decision')}. Scores: {scores}. {' '.join(last)}"


def live_head(public: ShownMatch) -> Html:
    """Whether it goes on, and how far it is."""
    match = public.match
    if public.over:
        again = tag("a", "Watch the replay", href=links.match(match.id))
        return tag("p", tag("span", "■ over", class_="state finished"), tag("span", again), class_="facts")
    return tag(
        "p",
        tag("span", "● live", class_="state running"),
        tag("span", match.game.title),
        tag("span", plural(public.decisions, "decision")),
        class_="facts",
    )


def live_seats(public: ShownMatch) -> Html:
    """The seats with their scores."""
    ranks = public.match.outcome.ranks if public.over and public.match.outcome is not None else None
    return _seats(public.match.names, public.scores(), ranks)


def _seats(names: Sequence[str], scores: Sequence[int], ranks: Sequence[int] | None) -> Html:
    rows = [
        tag(
            "tr",
            tag("td", seat, class_="num soft"),
            tag("th", name_of(name), scope="row"),
            tag("td", count(scores[seat]), class_="num score"),
            tag("td", f"{ranks[seat]}.", class_="num") if ranks else None,
            class_="leader" if ranks and ranks[seat] == 1 else None,
        )
        for seat, name in enumerate(names)
    ]
    heads = [
        tag("th", "Seat", scope="col", class_="num"),
        tag("th", "Bot", scope="col"),
        tag("th", "Points", scope="col", class_="num"),
        tag("th", "Rank", scope="col", class_="num") if ranks else None,
    ]
    return tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows))


def words(told: Iterable[tuple[int, str]]) -> Html:
    """What happened, newest first."""
    return join(
        [
            tag("li", tag("span", number, class_="number"), tag("span", text), data_key=f"{number}:{place}")
            for place, (number, text) in reversed(list(enumerate(told)))
        ]
    )


def waiting(site: Site, name: str, match: StoredMatch, text: str) -> str:
    """A match of which there is nothing to see: not yet, or never."""
    seats = [tag("li", name_of(seat.name)) for seat in match.seats]
    return page(
        site,
        f"Match {name}",
        _title(name, match.game, match.game),
        tag("section", tag("p", text), tag("ol", *seats, start=0), class_="panel"),
    )


# Replays.


def replay(site: Site, name: str, recorded: Replay, perspective: Perspective, number: int, embed: bool) -> str:
    """A match that is over, at one decision; the client steps through the rest."""
    match = recorded.match
    number = min(max(0, number), len(recorded) - 1)
    step = recorded[number]
    word = perspective_word(perspective)
    choices = [
        tag(
            "a",
            _perspective_title(one, match.names),
            href=links.link("/matches", name, seat=perspective_word(one), step=number),
            aria_current="true" if one == perspective else None,
            data_seat=perspective_word(one),
        )
        for one in perspectives(match.players)
    ]
    pictures = [_replayed(name, step, seat, word) for seat in step.viewers(perspective)]
    controls = tag(
        "div",
        _step_link(name, word, 0, "first", "|◀", "First decision (Home)", number > 0),
        _step_link(name, word, number - 1, "previous", "◀", "One decision back (←)", number > 0),
        tag("button", "▶ Play", type="button", id="play", hidden=True, title="Space"),
        _step_link(name, word, number + 1, "next", "▶", "One decision on (→)", number + 1 < len(recorded)),
        _step_link(name, word, len(recorded) - 1, "last", "▶|", "The end (End)", number + 1 < len(recorded)),
        tag(
            "label",
            tag("span", "Decision", class_="hidden"),
            tag("input", type="range", id="scrubber", min=0, max=len(recorded) - 1, value=number, hidden=True),
        ),
        tag("output", f"{number} of {len(recorded) - 1}", id="where"),
        class_="controls",
        role="group",
        aria_label="Steps of the replay",
    )
    return page(
        site,
        f"Match {name} · Replay",
        None if embed else _title(name, match.record.game, match.game.title),
        tag("nav", *choices, class_="tabs views", aria_label="Whose view"),
        controls,
        tag(
            "div",
            tag("section", tag("div", *pictures, id="boards", class_="boards"), class_="panel main board"),
            tag(
                "div",
                tag(
                    "section",
                    tag("h2", "Decision"),
                    tag("div", step_words(step, perspective), id="step", aria_live="polite"),
                    class_="panel",
                ),
                None
                if embed
                else tag("section", tag("h2", "Result"), _result(match.names, match.ending), class_="panel"),
                None if embed else _times(recorded),
                class_="aside",
            ),
            class_="columns",
        ),
        modules=("replay.js",),
        kind="embed replay" if embed else "replay",
        bare=embed,
        place="tournaments",
        data={"match": name, "seat": word, "step": str(number), "steps": str(len(recorded))},
    )


def perspective_word(perspective: Perspective) -> str:
    """As it is written in addresses: `public`, `revealed`, or the number of a seat."""
    if perspective.revealed:
        return "revealed"
    return "public" if perspective.seat is None else str(perspective.seat)


def _perspective_title(perspective: Perspective, names: Sequence[str]) -> Child:
    if perspective.revealed:
        return "Everything"
    return "Public" if perspective.seat is None else name_of(names[perspective.seat])


def _step_link(name: str, seat: str, number: int, key: str, sign: str, title: str, there: bool) -> Html:
    href = links.link("/matches", name, seat=seat, step=max(0, number)) if there else None
    return tag(
        "a",
        sign,
        href=href,
        class_="button",
        data_go=key,
        title=title,
        aria_label=title,
        role=None if href else "link",
        aria_disabled=None if href else "true",
    )


def _replayed(name: str, step: Step, seat: int | None, word: str) -> Html:
    picture = links.link("/pictures", name, step=step.number, seat="public" if seat is None else str(seat))
    told = " ".join(step.told(seat))
    return tag("img", src=picture, alt=f"Decision {step.number}. {told}", class_="picture")


def step_words(step: Step, perspective: Perspective) -> Html:
    """What had happened, what was asked, and what was answered."""
    told = step.told(None if perspective.revealed else perspective.seat)
    asked = [
        tag(
            "li",
            name_of(one.name),
            ": ",
            tag("b", one.answer),
            " ",
            _by(one.by, one.ms),
            *[_refused(no) for no in one.rejected],
        )
        for one in step.asked
        if perspective.knows(one.seat)
    ]
    names = step.match.names
    pending = ", ".join(names[seat] for seat in step.pending)
    return join(
        tag("ul", *[tag("li", text) for text in told], class_="words plain")
        if told
        else empty("Nothing has happened yet."),
        tag("p", "Asked: ", pending, class_="soft") if pending else tag("p", "The match is over.", class_="soft"),
        tag("ul", *asked, class_="answers") if asked else None,
    )


def _by(by: str, ms: int | None) -> Html | None:
    if by == "referee":
        return tag("span", "played by the referee", class_="badge warn")
    return None if ms is None else tag("span", f"{count(ms)} ms", class_="soft")


def _refused(one: Any) -> Html:
    return tag("span", f"✕ {one.move}: {one.message}", class_="badge bad")


def _result(names: Sequence[str], ending: Ending) -> Html:
    faults = [
        tag("li", name_of(name), ": ", tag("b", word), f": {text}" if text else None)
        for name, word, text in zip(names, ending.words, ending.texts, strict=True)
        if word != "finished"
    ]
    return join(
        _seats(names, ending.scores, ending.ranks),
        tag("ul", *faults, class_="faults") if faults else None,
        tag("p", f"Ended: {ending.reason.replace('_', ' ')}", class_="soft"),
    )


def _times(recorded: Replay) -> Html | None:
    times = recorded.match.times_ms
    if times is None:
        return None
    rows = [
        tag(
            "tr",
            tag("th", name_of(name), scope="row"),
            tag("td", len(own), class_="num"),
            tag("td", decimal(sum(own) / 1000), class_="num"),
            tag("td", f"{count(max(own, default=0))} ms", class_="num"),
        )
        for name, own in zip(recorded.match.names, times, strict=True)
    ]
    heads = [
        tag("th", text, scope="col", class_="num" if place else None)
        for place, text in enumerate(("Bot", "Asked", "Seconds", "Longest"))
    ]
    return tag(
        "section",
        tag("h2", "Time"),
        tag("div", tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows)), class_="scroll", tabindex=0),
        class_="panel",
    )
