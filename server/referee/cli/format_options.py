"""The options of a command that choose a format of competition, and what they come to: the settings of the format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import typer

from referee.cli.arguments import read_bots, read_options
from referee.cli.errors import WRONG_USE, Failure

UNTIL_BUDGET = 1000
"""The most matches that are played until a question is answered, unless it is said."""

FormatName = Annotated[
    str,
    typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        help="round-robin, gauntlet, swiss, knockout, groups+finals, ladder or until: see server/FORMATS.md.",
    ),
]
FormatSettings = Annotated[
    list[str] | None,
    typer.Option("--with", metavar="KEY=VALUE", help="A setting of the format, such as advance=2; may be repeated."),
]
Advance = Annotated[
    int | None, typer.Option(min=1, help="Of a knockout: how many of a table advance.", show_default="half")
]
Groups = Annotated[int | None, typer.Option(min=1, help="Of groups+finals: how many groups.", show_default="as fits")]
ThirdPlace = Annotated[bool, typer.Option("--third-place", help="Of a knockout: a match for third place.")]
Challengers = Annotated[
    str | None,
    typer.Option(
        metavar="BOTS", help="Of a gauntlet: who plays against all others, with commas.", show_default="first"
    ),
]
Seeding = Annotated[
    str | None,
    typer.Option(
        metavar="TOURNAMENT",
        help="Seed the bots by their ratings in this tournament, or by numbers: ada=31.5,bob=28.",
        show_default=False,
    ),
]


Order = Annotated[
    str | None,
    typer.Option(
        metavar="RATING",
        help="What orders the table: trueskill, or strength (all results together).",
        show_default="trueskill while it is played, strength at the end",
    ),
]
Openings = Annotated[
    int,
    typer.Option(
        min=0,
        help="So many random legal moves before the bots are asked, drawn from the deal; in games without chance every "
        "opening is played from all seats.",
    ),
]


UntilKnown = Annotated[
    str | None,
    typer.Option(
        metavar="QUESTION",
        help="Play until this is known: 'first known', 'top 3 known', 'order known' or 'A > B' for two bots.",
        show_default=False,
    ),
]
Confidence = Annotated[
    str | None, typer.Option(metavar="SHARE", help="With --until: how sure it has to be.", show_default="95%")
]
Budget = Annotated[
    int | None, typer.Option(min=2, help="With --until: the most matches.", show_default=str(UNTIL_BUDGET))
]


def opened(options: dict[str, Any], openings: int) -> dict[str, Any]:
    """The options of a game with those random moves at the start of each match."""
    from referee.rules.openings import MOST_OPENING_MOVES, OPENINGS

    if openings and OPENINGS in options:
        raise Failure("the openings are given twice: once with --option", WRONG_USE)
    if openings > MOST_OPENING_MOVES:
        raise Failure(f"--openings is at most {MOST_OPENING_MOVES}", WRONG_USE)
    return options | ({OPENINGS: openings} if openings else {})


def until_settings(
    question: str | None,
    confidence: str | None,
    budget: int | None,
    format: str,
    bots: Sequence[str],
    others: Mapping[str, Any],
) -> dict[str, Any]:
    """The settings of a tournament that ends when a question is answered; empty without a question.

    `others` are the settings of other formats as they were given: none of them is passed over in silence.
    """
    if question is None:
        for option, value in (("--confidence", confidence), ("--budget", budget)):
            if value is not None:
                raise Failure(f"{option} belongs to --until QUESTION", WRONG_USE)
        return {}
    from referee.tournament.formats.until import settings_of
    from referee.tournament.schedule.pairing import ScheduleError

    if format not in ("round-robin", "until"):
        raise Failure(f"--until draws its own tables: leave out --format {format}", WRONG_USE)
    for name, value in others.items():
        if value:
            option = f"--{name.replace('_', '-')}"
            raise Failure(f"--until draws its own tables, at most --budget of them: leave out {option}", WRONG_USE)
    try:
        return settings_of(question, bots, _share(confidence or "95%"), UNTIL_BUDGET if budget is None else budget)
    except ScheduleError as error:
        raise Failure(str(error), WRONG_USE) from None


def _share(text: str) -> float:
    """`95%`, `95 %` or `0.95`."""
    number = text.strip().removesuffix("%").strip()
    try:
        value = float(number)
    except ValueError:
        raise Failure(f"cannot read --confidence {text!r}: write 95% or 0.95", WRONG_USE) from None
    return value / 100 if text.strip().endswith("%") else value


def format_settings(
    name: str,
    named: Mapping[str, Any],
    challengers: str | None,
    seeding: str | None,
    words: Sequence[str] | None,
    bots: Sequence[str],
    ratings: Callable[[str], Mapping[str, float]],
) -> dict[str, Any]:
    """The settings of a drawn format; empty for a round-robin.

    `named` are settings that have an option of their own, None or False where it was not given. `ratings` gives those
    of a tournament by its name.
    """
    from referee.tournament.formats import registry
    from referee.tournament.schedule.pairing import ScheduleError

    if name not in registry.NAMES:
        raise Failure(f"there is no format {name!r}: {', '.join(registry.NAMES)}", WRONG_USE)
    given = read_options(words or [])
    if name == registry.ROUND_ROBIN:
        others = {key: value for key, value in named.items() if key != "rounds"}
        for key, value in {"with": words, "challengers": challengers, "seeding": seeding, **others}.items():
            if value:
                option = f"--{key.replace('_', '-')}"
                raise Failure(f"{option} belongs to another format than a round-robin: give --format FORMAT", WRONG_USE)
        return {}
    known = registry.setting_names(name)
    for key, value in named.items():
        if value is None or value is False:
            continue
        if key not in known:
            raise Failure(f"a {name} has no --{key.replace('_', '-')}: {_has(name, known)}", WRONG_USE)
        if key in given:
            raise Failure(f"{key} is given twice: once with --with", WRONG_USE)
        given[key] = value
    if challengers is not None:
        if "challengers" not in known:
            raise Failure(f"a {name} has no --challengers: {_has(name, known)}", WRONG_USE)
        given["challengers"] = [_position(bot, bots) for bot in read_bots(challengers, "--challengers")]
    settings = {"name": name, **given}
    try:
        registry.from_settings(settings)
    except ScheduleError as error:
        raise Failure(str(error), WRONG_USE) from None
    if seeding is not None:
        settings[registry.SEEDING] = _seeding(seeding, bots, ratings)
    return settings


def rated(standings: Any) -> dict[str, float]:
    """The strength that each bot of a tournament has proved."""
    return {row.bot: row.score for row in standings.rows}


def _has(name: str, known: Sequence[str]) -> str:
    return f"its settings are {', '.join(known)} (--with KEY=VALUE)"


def _position(bot: str, bots: Sequence[str]) -> int:
    if bot not in bots:
        raise Failure(f"the challenger {bot!r} is none of the bots: {', '.join(bots)}", WRONG_USE)
    return list(bots).index(bot)


def _seeding(text: str, bots: Sequence[str], ratings: Callable[[str], Mapping[str, float]]) -> dict[str, float]:
    if "=" in text:
        strengths: dict[str, float] = {}
        for word in text.split(","):
            bot, _, number = word.strip().partition("=")
            if bot in strengths:
                raise Failure(f"--seeding names {bot!r} twice", WRONG_USE)
            try:
                strengths[bot] = float(number)
            except ValueError:
                raise Failure(f"cannot read --seeding {word!r}: write BOT=NUMBER", WRONG_USE) from None
    else:
        strengths = dict(ratings(text))
    known = {bot: value for bot, value in strengths.items() if bot in bots}
    if "=" in text and (strange := [bot for bot in strengths if bot not in bots]):
        raise Failure(f"--seeding names {strange[0]!r}, which is none of the bots", WRONG_USE)
    if not known:
        raise Failure(f"none of the bots has played in {text}: they cannot be seeded from it", WRONG_USE)
    return known
