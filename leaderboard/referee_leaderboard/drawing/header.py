"""The top of the screen: what is being played, how it stands, how far it is, and what a person should know."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text

from referee_leaderboard.connection import Connection
from referee_leaderboard.names import clean, count, decimal, duration, fit, plural, signed, speed
from referee_leaderboard.sheet import clip, ends, line
from referee_leaderboard.standings import Order, Standing, Standings, State

_STATE_MARKS = {
    State.CREATED: ("○", "dim"),
    State.RUNNING: ("●", "green"),
    State.PAUSED: ("│", "yellow"),
    State.FINISHED: ("■", "bold"),
    State.CANCELLED: ("✗", "red"),
}
_NOTICES_SHOWN = 2


def header(standings: Standings, width: int) -> Text:
    """`Spring Cup · flip7 · 4 players            provisional  ● running  12:04`."""
    mark, style = _STATE_MARKS[standings.state]
    end = line((f"{mark} {standings.state.value}", style))
    if standings.provisional:
        end = line(("provisional", "italic yellow"), "  ") + end
    if standings.elapsed is not None and width >= 70:
        end = end + line((f"  {duration(standings.elapsed)}", "dim"))
    room = width - end.cell_len - 1
    name, game = clean(standings.tournament), f" · {clean(standings.game)}"
    players = f" · {plural(standings.players, 'player')}"
    rounds = f" · {plural(standings.rounds, 'round')}" if standings.rounds and width >= 100 else ""
    if standings.format.name:
        rounds = f" · {clean(standings.format.stage or standings.format.name)}"
    # The whole name before the game, and something of the name before the details.
    rest = next((rest for rest in (game + players + rounds, game + players, game) if cell_len(name + rest) <= room), "")
    return ends(line((fit(name, room), "bold"), rest), end, width)


def progress(standings: Standings, width: int) -> Text:
    """A bar, then matches done of all, the pace and the time left."""
    done, total = standings.matches_done, standings.matches_total
    if total <= 0:
        return clip(line(("No matches are scheduled yet.", "dim italic")), width)
    pace = f" · {speed(standings.matches_per_second)}" if standings.matches_per_second is not None else ""
    if standings.format.most is not None:  # a bar would be about to end all the time
        return clip(line(_without_end(standings) + pace), width)
    share = min(1.0, max(0.0, done / total))
    words = f"{count(done)}/{count(total)} {_floor_percent(done, total):>3}%"
    left = f" · ETA {duration(standings.eta)}" if standings.eta is not None and done < total else ""
    for tail in (words + pace + left, words + left, words, f"{count(done)}/{count(total)}"):
        if len(tail) + 12 <= width:
            return _bar(share, width - len(tail) - 2) + line("  ", tail)
    return clip(line(f"{count(done)}/{count(total)}"), width)


def warnings(standings: Standings, width: int, connection: Connection | None = None) -> list[Text]:
    """The connection notice first, then the notices, those that are too many counted."""
    lines: list[Text] = []
    if connection is not None and not connection.alive:
        lines.append(line((fit(f" {clean(connection.sentence)} ", width), "bold reverse yellow")))
    shown = standings.notices
    if len(shown) > _NOTICES_SHOWN:
        shown = shown[: _NOTICES_SHOWN - 1]
    lines += [line((fit(f"! {clean(notice)}", width), "yellow")) for notice in shown]
    if len(shown) < len(standings.notices):
        lines.append(line((f"! … {plural(len(standings.notices) - len(shown), 'more notice')}", "yellow")))
    return lines


def played(standings: Standings) -> str:
    """`2 of 180 matches played, 178 set aside`: a match without a result is done, but was not played."""
    aside = standings.matches_set_aside
    words = f"{count(standings.matches_done - aside)} of {count(standings.matches_total)} matches played"
    if standings.format.most is not None:
        bound = f" of at most {count(standings.format.most)}" if standings.format.most else ""
        words = f"{plural(standings.matches_done - aside, 'match')}{bound} played"
    return f"{words}, {count(aside)} set aside" if aside else words


def plain_progress_line(standings: Standings) -> str:
    """One line for a log: `Spring Cup: running, 1,204/3,000 matches (40%), 41.2/s, ETA 0:43; first cautious 27.31`."""
    done, total = standings.matches_done, standings.matches_total
    words = [standings.state.value]
    if standings.provisional:
        words.append("provisional")
    if standings.format.most is not None:
        words.append(_without_end(standings))
    else:
        share = f" ({_floor_percent(done, total)}%)" if total > 0 else ""
        words.append(f"{count(done)}/{count(total)} matches{share}")
    if standings.matches_set_aside:
        words.append(f"{count(standings.matches_set_aside)} set aside")
    if standings.matches_per_second is not None:
        words.append(speed(standings.matches_per_second))
    if standings.eta is not None and done < total:
        words.append(f"ETA {duration(standings.eta)}")
    if faults := sum(row.faults for row in standings.rows):
        words.append(plural(faults, "fault"))
    said = f"{clean(standings.tournament)}: {', '.join(words)}"
    if standings.rows and standings.matches_done:
        leaders = [row for row in standings.rows if row.rank == standings.rows[0].rank]
        names = ", ".join(clean(row.bot) for row in leaders[:3]) + (", …" if len(leaders) > 3 else "")
        said += f"; first {names} {_figure(standings.order, leaders[0])}"
    return said


def _without_end(standings: Standings) -> str:
    """`1,204 matches`, or `48 of at most 200 matches`: how many there will be is not known."""
    done, most = standings.matches_done, standings.format.most
    return f"{count(done)} of at most {count(most)} matches" if most else plural(done, "match")


def _figure(order: Order, row: Standing) -> str:
    """What a row is ordered by, as a number."""
    if order is Order.POINTS:
        return f"{decimal(row.mean_score, 1)} points a match"
    return signed(row.strength) if order is Order.STRENGTH else decimal(row.score)


def _floor_percent(done: int, total: int) -> int:
    # Rounded down, so that 100% is said only when nothing is left.
    return min(100, max(0, 100 * done // total))


def _bar(share: float, width: int) -> Text:
    halves = int(share * width * 2)
    full, half = divmod(halves, 2)
    return line(("━" * full + "╸" * half, "green"), ("─" * (width - full - half), "dim"))
