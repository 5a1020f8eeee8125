"""Verification of a tournament: its claims, recomputed from root, settings and moves, without the server."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

from referee.rules import registry
from referee.rules.game import WrongUse
from referee.store import MatchState, Ruling, RulingKind, SeatedMatch
from referee.tournament import schedule
from referee.tournament.audit.audited import OPEN, AuditedTournament, Damaged, MatchLine
from referee.tournament.audit.drawn_rounds import drawn_again, final_places
from referee.tournament.audit.entry_forms import OVER
from referee.tournament.audit.replay import DoesNotHold
from referee.tournament.audit.replay_pool import MatchCheck, outcomes
from referee.tournament.audit.snapshots import SnapshotCheck
from referee.tournament.audit.standings_file import standings_text
from referee.tournament.audit.story import Growth, Story, ToldMatch, ToldRuling
from referee.tournament.moderation import told
from referee.tournament.nonces import digest as nonce_digest
from referee.tournament.nonces import wrong
from referee.tournament.plan import Plan, is_final, pairings
from referee.tournament.schedule.making_up import extend_without, further_rounds, make_up
from referee.tournament.schedule.pairing import Pairing, ScheduleError
from referee.tournament.seeds import commitment, root_of
from referee.tournament.standings import empty_board
from referee.tournament.standings.score import Score
from referee.tournament.standings.scoreboard import Scoreboard


@dataclass(frozen=True, slots=True)
class DealtAnew:
    """A match that was dealt more than once: the deals before were seen, and came to nothing."""

    match: str
    attempt: int


@dataclass(frozen=True, slots=True)
class SetAside:
    """A match without a result: absent or void, and why."""

    match: str
    state: str
    reason: str


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found to hold."""

    tournament: str
    game: str
    state: str
    replayed: int
    """Matches whose seed, moves and result hold."""
    set_aside: int
    """Matches without a result, absent or void."""
    open: int
    """Matches still to be played."""
    seeds: bool
    """Whether the seeds could be recomputed: the root is secret until the tournament is over."""
    digest: str
    """Of the standings, from the replayed results."""
    repeatable: bool
    """Whether its deals are said to follow from a text alone, which a player could have guessed."""
    dealt_anew: tuple[DealtAnew, ...] = ()
    matches_set_aside: tuple[SetAside, ...] = ()
    entries: int = 0
    """Of the journal; 0 if there is none, in a folder of before."""
    head: str = ""
    nonces: int = 0
    """Nonces of entrants that went into the seeds."""
    nonces_missing: int = 0
    """Nonces that entrants promised and did not tell in time."""
    rounds: int = 0
    """Rounds that its format drew; with the root known, each was drawn again."""
    rulings: tuple[str, ...] = ()
    """What the host has ruled about bots and matches, each in a sentence."""
    reopened: int = 0
    """How often it was opened again after its end: later deals follow from roots that were drawn then."""
    pruned: int = 0
    """Of the results, how many could not be replayed because the host has removed their records."""
    adopted: int | None = None
    """When it was taken over from a program that kept no journal; what was stored before is as it was found then."""


def verify(
    audited: AuditedTournament, checked: Callable[[int], object] = lambda number: None, *, workers: int | None = None
) -> Verified:
    """Check a whole tournament; DoesNotHold names the first thing that does not. `checked` hears of every match.

    `workers` are the processes that replay; as many as there are cores if it is not said, and none for a few matches.
    """
    try:
        return _Verification(audited, checked, workers).run()
    except Damaged as error:
        raise DoesNotHold(f"match {audited.name}/{error.ordinal}: {error}") from None


class _Verification:
    def __init__(self, audited: AuditedTournament, checked: Callable[[int], object], workers: int | None) -> None:
        self._audited = audited
        self._checked = checked
        self._workers = workers
        self._anew: list[DealtAnew] = []
        self._aside: list[SetAside] = []
        self._open = self._replayed = self._read = 0
        self._untold: list[MatchLine] = []
        """Matches that are not what the journal says; what does not hold by itself is said first."""
        self._pieces = _Pieces(audited.story)

    def run(self) -> Verified:
        audited = self._audited
        plan = _checked_plan(audited)
        _check_root(audited)
        try:
            shared = {} if audited.story is None else audited.story.shared_deals
            board = empty_board(plan, audited.entrants, shared)
            snapshots = SnapshotCheck(audited, plan, shared)
        except (ValueError, TypeError) as error:
            raise DoesNotHold(f"{audited.name}: {error}") from None
        drawn = _schedule(audited, plan)
        _check_nonces(audited)
        check = MatchCheck.of(audited, plan)
        pruned = check.pruned
        for line, outcome in outcomes(check, self._finished(board, snapshots, drawn), self._workers, len(drawn)):
            ranks, scores, words, reason = outcome
            snapshots.reach(line.ordinal, board)
            result = (ranks, scores, words, reason, line.versions)
            score = Score.of(audited.name, line.ordinal, line.round, line.seats, *result)
            board.add(score)
            snapshots.add(score)
            self._replayed += line.ordinal not in pruned
            self._checked(board.matches)
        self._check_whole(board, drawn)
        digest = board.digest()
        if audited.digest and audited.digest != digest:
            # What was exported before was rated with functions of the C library.
            by_library = self._rated_by_library(plan, shared)
            if by_library.digest() != audited.digest:
                raise DoesNotHold(
                    f"{audited.name}: the results lead to standings with digest {digest}, not {audited.digest}"
                )
            board, digest = by_library, audited.digest
        story = audited.story
        if story is not None:
            self._check_story(story, board, plan, drawn)
        snapshots.end(board)  # last: they do not hold either where something that they rest on does not
        return Verified(
            audited.name,
            audited.game,
            audited.state,
            self._replayed,
            board.aside,
            self._open,
            audited.root is not None,
            digest,
            bool(audited.repeatable),
            tuple(self._anew),
            tuple(self._aside),
            story.entries if story else 0,
            story.head if story else "",
            sum(bool(one.nonce) for draw in audited.draws for one in draw.entrants),
            sum(not one.nonce for draw in audited.draws for one in draw.entrants),
            len(story.rounds) if story else 0,
            tuple(_told(number, ruling) for number, ruling in enumerate(story.rulings, 1)) if story else (),
            len(story.chapters) if story else 0,
            board.matches - self._replayed,
            story.adopted if story else None,
        )

    def _finished(
        self, board: Scoreboard, snapshots: SnapshotCheck, drawn: list[Pairing]
    ) -> Iterator[tuple[MatchLine, bytes | None]]:
        """The matches to replay; the others are dealt with on the way."""
        audited = self._audited
        for number, (line, record) in enumerate(audited.lines()):
            name = f"{audited.name}/{line.ordinal}"
            _check_pairing(audited, drawn, number, line)
            self._read = number + 1
            if line.attempt > 1:
                self._anew.append(DealtAnew(name, line.attempt))
            self._pieces.take(line)
            if audited.story is not None and line.told != audited.story.match(line.ordinal):
                self._untold.append(line)
            if line.state == MatchState.FINISHED:
                yield line, record
            elif line.state in OPEN:
                self._open += 1
            elif record is not None and not line.annulled:
                raise DoesNotHold(f"match {name}: it was played, and is said to be {line.state}")
            else:
                board.skip(line.ordinal)
                snapshots.skip(line.ordinal)
                self._aside.append(SetAside(name, line.state, line.reason))

    def _rated_by_library(self, plan: Plan, shared: Mapping[int, int]) -> Scoreboard:
        """The same results, rated as it was done before; they have been replayed and are what they are said to be."""
        audited = self._audited
        board = empty_board(plan, audited.entrants, shared, by_library=True)
        for line, _ in audited.lines():
            if line.state == MatchState.FINISHED:
                result = (line.ranks, line.scores, line.faults, line.reason, line.versions)
                board.add(Score.of(audited.name, line.ordinal, line.round, line.seats, *result))
            elif line.state not in OPEN:
                board.skip(line.ordinal)
        return board

    def _check_whole(self, board: Scoreboard, drawn: list[Pairing]) -> None:
        audited = self._audited
        if board.matches + board.aside + self._open != len(drawn):
            raise DoesNotHold(f"{audited.name}: the schedule has {len(drawn)} matches, {self._read} are there")
        if self._open and audited.state == "finished":
            raise DoesNotHold(f"{audited.name} is said to be finished, and {self._open} matches are open")

    def _check_story(self, story: Story, board: Scoreboard, plan: Plan, drawn: list[Pairing]) -> None:
        """What is shown is what the journal tells."""
        audited = self._audited
        if self._untold and story.state not in OVER and audited.retell is not None:
            # Matches that have ended since the journal was read are told in it by now.
            later = audited.retell()
            self._untold = [line for line in self._untold if line.told != later.match(line.ordinal)]
        for line in self._untold:
            name = f"{audited.name}/{line.ordinal}"
            raise DoesNotHold(f"match {name}: {_difference(line.told, story.match(line.ordinal))}")
        if (wrong := self._pieces.wrong()) is not None:
            raise DoesNotHold(f"{audited.name}: {wrong}")
        created = story.created
        told = (
            ("name", created["name"], audited.name),
            ("game", created["game"], audited.game),
            ("version of the game", created["game_version"], audited.game_version),
            ("players", created["players"], audited.players),
            ("settings", created["settings"], dict(audited.settings)),
            ("commitment", story.commitment, audited.commitment),
            ("state", story.state, audited.state),
            ("entrants", tuple(one.name for one in story.entrants), audited.entrants),
            ("nonces", tuple(draw.drawn for draw in story.draws), audited.draws),
        )
        for what, wanted, found in told:
            if wanted != found:
                raise DoesNotHold(f"{audited.name}: the {what} should be {wanted}, as the journal says, not {found}")
        if audited.root is not None:
            dealt = "secret" if audited.seed_text is None else "repeatable" if audited.salt is None else "salted"
            if story.dealt != dealt or (audited.seed_text is None and audited.salt is not None):
                raise DoesNotHold(f"{audited.name}: its deals were {story.dealt}, as the journal says, not {dealt}")
        if audited.standings is not None:
            final = is_final(plan, audited.state, self._open)
            if bool(audited.digest) != final:
                raise DoesNotHold(f"{audited.name}: a digest of standings is given only when they are final")
            order = final_places(story, plan, [pairing.seats for pairing in drawn])
            if audited.standings != standings_text(board, story, self._open, order).encode():
                raise DoesNotHold(f"{audited.name}: the standings are not those that follow from the results")


def _told(number: int, said: ToldRuling) -> str:
    kind = RulingKind(said.kind)
    return told(Ruling(number, kind, said.bot, said.match, said.reason, said.annulled, said.aside, said.at))


class _Pieces:
    """Compares the schedule with the hashes that the journal has of it."""

    def __init__(self, story: Story | None) -> None:
        self._left = list(reversed(story.pieces)) if story else []
        self._wrong: str | None = None
        self._count = 0
        self._digest = hashlib.sha256()
        self._settle()

    def take(self, line: MatchLine) -> None:
        self._count += 1
        self._digest.update(line.scheduled.encode())
        self._settle()

    def _settle(self) -> None:
        while self._left and self._count == self._left[-1].matches:
            piece = self._left.pop()
            if self._digest.hexdigest() != piece.sha256 and self._wrong is None:
                self._wrong = (
                    f"the schedule from match {piece.first} on is not the one of which the journal has the hash"
                )
            self._count, self._digest = 0, hashlib.sha256()

    def wrong(self) -> str | None:
        """What does not fit, once all lines were taken."""
        if self._wrong is None and (self._left or self._count):
            return "the schedule is not as long as the journal says"
        return self._wrong


def _checked_plan(audited: AuditedTournament) -> Plan:
    game = registry.find(audited.game)
    if str(game.version) != audited.game_version:
        raise WrongUse(
            f"{audited.name} was played with {game.name} version {audited.game_version}, installed is version "
            f"{game.version}: verify it with the version that played it"
        )
    try:
        plan = audited.plan
        if plan.game != audited.game or plan.players != audited.players:
            raise DoesNotHold(f"{audited.name}: game and players are not those of its settings")
        game.check_players(plan.players)
        options = game.resolve_options(plan.options)
        if dict(plan.options) != options:
            raise DoesNotHold(f"{audited.name}: the options are not those of {game.name} version {game.version}")
    except WrongUse as error:
        raise DoesNotHold(f"{audited.name}: {error}") from None
    except (ValueError, TypeError, AttributeError) as error:
        raise DoesNotHold(f"{audited.name}: its settings are none of a tournament: {error}") from None
    return plan


def _check_root(audited: AuditedTournament) -> None:
    """The root is the one that was promised, and follows from what it is said to follow from."""
    for chapter in () if audited.story is None else audited.story.chapters:
        if commitment(bytes.fromhex(chapter.revealed["root"])) != chapter.commitment:
            raise DoesNotHold(f"{audited.name}: a root of before it was reopened is not the one that was promised")
    if audited.root is None:
        return
    if commitment(audited.root) != audited.commitment:
        raise DoesNotHold(f"{audited.name}: the commitment is not the SHA-256 of the root")
    text, salt = audited.seed_text, audited.salt
    if text is not None and root_of(text, salt) != audited.root:
        raise DoesNotHold(f"{audited.name}: the root does not follow from the seed's text and salt")
    if audited.repeatable is not None and audited.repeatable != (text is not None and salt is None):
        raise DoesNotHold(f"{audited.name}: its root and what is said of its being repeatable contradict each other")


def _check_nonces(audited: AuditedTournament) -> None:
    """Every nonce is the one to which its entrant had committed itself."""
    try:
        for draw in audited.draws:
            if (entrant := wrong(audited.name, draw)) is not None:
                raise DoesNotHold(f"{audited.name}: the nonce of {entrant.name} is not the one that it had promised")
            nonce_digest(audited.name, draw)
    except ValueError as error:
        raise DoesNotHold(f"{audited.name}: its nonces cannot be read: {error}") from None


def _schedule(audited: AuditedTournament, plan: Plan) -> list[Pairing]:
    """The schedule that follows from the settings, and from who joined later, one group after the other."""
    first = audited.groups[0] if audited.groups else 0
    if sum(audited.groups) != len(audited.entrants):
        entered = sum(audited.groups)
        raise DoesNotHold(f"{audited.name}: {entered} bots entered, and there are {len(audited.entrants)}")
    if plan.format:
        return drawn_again(audited, plan)
    try:
        expected = schedule.count(plan.schedule, first, plan.players, plan.rounds)
        if expected > audited.source.count():
            raise DoesNotHold(f"{audited.name}: its settings lead to {expected} matches, and there are fewer")
        drawn = pairings(plan, first)
        number = first
        for growth in _growths(audited):
            if growth.out:
                drawn += _without(audited, plan, drawn, growth, number)
            elif growth.rounds is not None:
                drawn += schedule.extend(plan.schedule, drawn, growth.entrants, plan.players, growth.rounds)
            else:
                drawn += schedule.extend(plan.schedule, drawn, growth.entrants, plan.players)
            number = growth.entrants
    except (WrongUse, ScheduleError, ValueError, TypeError) as error:
        raise DoesNotHold(f"{audited.name}: no schedule follows from its settings: {error}") from None
    return drawn


def _growths(audited: AuditedTournament) -> list[Growth]:
    """When the schedule grew: as the journal tells it, or, where there is none, when bots joined."""
    if audited.story is not None:
        return audited.story.growth
    entered = list(accumulate(audited.groups))
    return [Growth(number, frozenset(), frozenset(), None) for number in entered[1:]]


def _without(
    audited: AuditedTournament, plan: Plan, drawn: list[Pairing], growth: Growth, before: int
) -> list[Pairing]:
    """What was appended for those who were in when a bot was taken out, or when bots joined after that."""
    out = frozenset(position for position, name in enumerate(audited.entrants) if name in growth.out)
    matches = [
        SeatedMatch(pairing.round, pairing.seats, ordinal not in growth.uncounted)
        for ordinal, pairing in enumerate(drawn)
    ]
    if plan.rotates:
        return []
    if growth.rounds is not None:
        return further_rounds(matches, growth.entrants, plan.players, out, growth.rounds)
    if growth.lost is None:
        return extend_without(plan.schedule, matches, growth.entrants, plan.players, out, before)
    return make_up(plan.schedule, matches, growth.entrants, plan.players, out, growth.lost)


def _check_pairing(audited: AuditedTournament, drawn: list[Pairing], number: int, line: MatchLine) -> None:
    if number < len(drawn):
        pairing = drawn[number]
        seats = tuple(audited.entrants[position] for position in pairing.seats)
        if (line.ordinal, line.round, line.table, line.seats) == (number, pairing.round, pairing.table, seats):
            return
    raise DoesNotHold(f"match {audited.name}/{line.ordinal}: it is not the {number + 1}. match of the schedule")


def _difference(found: ToldMatch, wanted: ToldMatch) -> str:
    for part in ToldMatch.__slots__:
        so, said = getattr(wanted, part), getattr(found, part)
        if so != said:
            return f"the {part} should be {so}, as the journal says, not {said}"
    raise AssertionError("they are equal")
