"""A law that nothing can break is no law: every broken variant of Tall Tales is caught by the law it breaks."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest
from google.protobuf.struct_pb2 import Value

from referee.rules.chance import Chance
from referee.rules.game import Legal, Rejection, Result, Seat, Seats, Unreadable, ranks
from referee.rules.laws import LAWS, LawBroken, check_game, check_law
from referee.rules.options import Option
from tall_tales.game import DOUBT, MOVES, TallTales, TallTalesState


class Honest(TallTalesState):
    pass


def variant(state: type[TallTalesState], **changes: Any) -> TallTales:
    """Tall Tales with another state, or with other attributes."""

    def new(self: Any, players: int, options: Mapping[str, Any], chance: Chance) -> TallTalesState:
        game = TallTales().new(players, options, chance)
        twin = state.__new__(state)
        twin.__dict__.update(game.__dict__)
        return twin

    body = {"new": new, "rules": lambda self: TallTales().rules()} | changes
    made: TallTales = type("Variant", (TallTales,), body)()
    return made


class LeakyView(TallTalesState):
    def view(self, seat: Seat | None) -> dict[str, Any]:
        view = super().view(seat)
        view.update({"everybody": list(self.cards)})
        return view


class LeakyOnlyToThePublic(TallTalesState):
    def view(self, seat: Seat | None) -> dict[str, Any]:
        view = super().view(seat)
        if seat is None and self.deck:
            view.update({"next": self.deck[-1]})
        return view


class LeakyList(TallTalesState):
    def legal(self, seat: Seat) -> Legal[int]:
        if not self.cards:
            return Legal(())
        return MOVES if self.cards[seat - 1] > 3 else Legal(MOVES.moves[::-1])


class LeakyRejection(TallTalesState):
    def check(self, seat: Seat, move: int) -> Rejection | None:
        if self.cards and move == DOUBT and self.cards[seat - 1] > 3:
            return Rejection("no_doubt", "the one beside you holds too much for that")
        return super().check(seat, move)


class HiddenScores(TallTalesState):
    def scores(self) -> list[int]:
        return list(self.cards or self.points)

    def view(self, seat: Seat | None) -> dict[str, Any]:
        return super().view(seat) | {"scores": self.points}


class NothingRedealt(TallTalesState):
    def redealt(self, seat: Seat | None, chance: Chance) -> Self:
        return self.copy()


class OnlyThePublicRedealt(TallTalesState):
    def redealt(self, seat: Seat | None, chance: Chance) -> Self:
        return super().redealt(seat, chance) if seat is None else self.copy()


class RedealtInPlace(TallTalesState):
    def redealt(self, seat: Seat | None, chance: Chance) -> Self:
        twin = super().redealt(seat, chance)
        self.cards[:] = twin.cards
        return twin


class RedealtForEver(TallTalesState):
    def redealt(self, seat: Seat | None, chance: Chance) -> Self:
        twin = super().redealt(seat, chance)
        twin.rounds = 99
        twin.deck = twin.deck * 99
        return twin


class IllegalFallback(TallTalesState):
    def fallback(self, seat: Seat) -> int:
        return 9

    def check(self, seat: Seat, move: int) -> Rejection | None:
        return Rejection("too_high", "a card is 6 at most") if move > 6 else None


class FickleFallback(TallTalesState):
    turn: ClassVar = count()

    def fallback(self, seat: Seat) -> int:
        return 1 + next(self.turn) % 6


class Endless(TallTalesState):
    def play(self, moves: Mapping[Seat, int]) -> None:
        self.round = 0
        self.deck = list(range(1, 7)) * 3
        super().play(moves)


class LostCard(TallTalesState):
    def play(self, moves: Mapping[Seat, int]) -> None:
        super().play(moves)
        self.turned_up.pop()


class Dicey(TallTalesState):
    turn: ClassVar = count()

    def play(self, moves: Mapping[Seat, int]) -> None:
        super().play(moves)
        self.points[0] += next(self.turn)


class OrderMatters(TallTalesState):
    def play(self, moves: Mapping[Seat, int]) -> None:
        super().play(moves)
        self.points[next(iter(moves))] += 1


class PeeksWhileChecking(TallTalesState):
    def check(self, seat: Seat, move: int) -> Rejection | None:
        self.news = [*self.news, {"kind": "thought", "seat": seat, "move": str(move)}]
        return super().check(seat, move)


class DoubledList(TallTalesState):
    def legal(self, seat: Seat) -> Legal[int]:
        return Legal((*MOVES.moves, 3)) if self.cards else Legal(())


class ShufflingList(TallTalesState):
    turn: ClassVar = count()

    def legal(self, seat: Seat) -> Legal[int]:
        place = next(self.turn) % 7
        return Legal((*MOVES.moves[place:], *MOVES.moves[:place])) if self.cards else Legal(())


class ShortList(TallTalesState):
    def legal(self, seat: Seat) -> Legal[int]:
        return Legal((1, DOUBT)) if self.cards else Legal(())


class LongList(TallTalesState):
    def check(self, seat: Seat, move: int) -> Rejection | None:
        return Rejection("shy", "no doubts here") if move == DOUBT else None


class NamelessRefusal(TallTalesState):
    def legal(self, seat: Seat) -> Legal[int]:
        return Legal(MOVES.moves[: 3 + self.round]) if self.cards else Legal(())

    def check(self, seat: Seat, move: int) -> Rejection | None:
        return None if move in self.legal(seat).moves else Rejection("Too High!", "")


class EverybodyHasMoves(TallTalesState):
    def legal(self, seat: Seat) -> Legal[int]:
        return MOVES


class BackwardSeats(TallTalesState):
    def pending(self) -> tuple[Seat, ...]:
        return super().pending()[::-1]


class NeverOver(TallTalesState):
    def result(self) -> Result | None:
        return None


class DenseRanks(TallTalesState):
    def result(self) -> Result | None:
        result = super().result()
        if result is None:
            return None
        places = sorted(set(result.scores), reverse=True)
        return Result(tuple(2 + places.index(score) for score in result.scores), result.scores)


class ReversedRanks(TallTalesState):
    def result(self) -> Result | None:
        result = super().result()
        return result and Result(ranks(-score for score in result.scores), result.scores)


class SharedFirst(TallTalesState):
    def result(self) -> Result | None:
        result = super().result()
        return result and Result((1,) * self.players, result.scores)


class IntegerKeys(TallTalesState):
    def view(self, seat: Seat | None) -> dict[str, Any]:
        return {"points": dict(enumerate(self.points))}


class SetInView(TallTalesState):
    def view(self, seat: Seat | None) -> dict[str, Any]:
        return {"points": set(self.points)}


class WideNumber(TallTalesState):
    def view(self, seat: Seat | None) -> dict[str, Any]:
        return super().view(seat) | {"wide": 1 << 60}


class OtherScores(TallTalesState):
    def result(self) -> Result | None:
        result = super().result()
        return result and Result(result.ranks, tuple(score + 1 for score in result.scores))


class WordyReason(TallTalesState):
    def result(self) -> Result | None:
        result = super().result()
        return result and Result(result.ranks, result.scores, "It is over!")


class StrictParse(TallTalesState):
    def parse(self, text: str) -> int:
        if text != text.strip() or "  " in text:
            raise Unreadable("no extra spaces")
        return super().parse(text)


class FragileParse(TallTalesState):
    def parse(self, text: str) -> int:
        return DOUBT if text.split() == ["doubt"] else int(text.split()[1])


class SharedCopy(TallTalesState):
    def copy(self) -> Self:
        twin = super().copy()
        twin.points = self.points
        return twin


class TwoTypesOfViews(TallTalesState):
    def view(self, seat: Seat | None) -> Any:
        return Value(number_value=1) if seat is None else super().view(seat)


class FickleView(TallTalesState):
    turn: ClassVar = count()

    def view(self, seat: Seat | None) -> dict[str, Any]:
        view = super().view(seat)
        view.update({"count": next(self.turn)})
        return view


class OtherBytes(TallTalesState):
    def view_bytes(self, seat: Seat | None) -> bytes:
        return super().view_bytes(seat) + b"\x0a\x00"


def telling(**shown: Any) -> TallTales:
    """Tall Tales with a view that tells this, whatever is so; a function is asked with the state and the seat."""

    class Telling(TallTalesState):
        def view(self, seat: Seat | None) -> dict[str, Any]:
            told = {key: tell(self, seat) if callable(tell) else tell for key, tell in shown.items()}
            return super().view(seat) | told

    return variant(Telling)


def silent(name: str) -> TallTales:
    """Tall Tales with a view that lacks one part."""

    class Silent(TallTalesState):
        def view(self, seat: Seat | None) -> dict[str, Any]:
            return {key: part for key, part in super().view(seat).items() if key != name}

    return variant(Silent)


def drawn_under(label: str, verb: str = "order") -> Any:
    def new(self: Any, players: int, options: Mapping[str, Any], chance: Chance) -> TallTalesState:
        if verb == "pick":
            chance.pick(label, [1, 2])
        else:
            chance.order(label, [1, 2])
        return TallTales().new(players, options, chance)

    return new


def lenient_options(self: Any, options: Mapping[str, Any] | None = None, files: Any = None) -> dict[str, Any]:
    known = {name: value for name, value in (options or {}).items() if name in self.options}
    return TallTales().resolve_options(known)


def growing(value: Any, files: Any) -> int:
    if not isinstance(value, int):
        raise ValueError("must be a number")
    return min(value + 1, 3)


def opening(value: Any, files: Any) -> int:
    if isinstance(value, str):
        try:
            Path(value).read_text()
        except OSError as error:
            raise ValueError(f"must be a number, and {error} is no help") from None
    raise ValueError(f"must be a number, not {value!r}")


def drawn(line: str) -> Any:
    """A drawing of one line, whatever the view."""
    return lambda self, view, width=80, *, names=None, colour=False, ascii=False: [line]


def pictured(inside: str, title: str = "<title>x</title>") -> Any:
    """A picture with this in it, whatever the view."""
    head = '<svg xmlns="http://www.w3.org/2000/svg" class="mine" viewBox="0 0 9 9">'
    return lambda self, view, *, names=None: f"{head}{title}{inside}</svg>"


def unwell(self: Any, view: Any, *, names: Any = None) -> str:
    return str(view["no such field"])


BROKEN = [
    ("views_hide_what_a_seat_may_not_know", variant(LeakyView), "shows what it may not know"),
    ("views_hide_what_a_seat_may_not_know", variant(LeakyOnlyToThePublic), "the public"),
    ("views_hide_what_a_seat_may_not_know", variant(LeakyList), "legal list"),
    ("views_hide_what_a_seat_may_not_know", variant(LeakyRejection), "is told of the move"),
    ("views_hide_what_a_seat_may_not_know", variant(HiddenScores), "public, depend on what is hidden"),
    ("redealing_really_redeals", variant(NothingRedealt), "never changed anything"),
    ("redealing_really_redeals", variant(OnlyThePublicRedealt), "for any seat"),
    ("redealing_really_redeals", variant(RedealtInPlace), "changed the match"),
    ("redealt_matches_play_on", variant(RedealtForEver), "did not end"),
    ("sealed_answers_stay_sealed", variant(PeeksWhileChecking), "shows before all"),
    ("sealed_answers_stay_sealed", variant(OrderMatters), "another order"),
    ("fallbacks_are_legal", variant(IllegalFallback), "6 at most"),
    ("fallbacks_are_legal", variant(FickleFallback), "another one"),
    ("matches_end_within_their_bound", variant(Endless), "goes on after"),
    ("matches_end_within_their_bound", variant(Honest, bound=lambda self, players, options: 1), "goes on after 1"),
    ("ranks_follow_scores", variant(ReversedRanks), "has the higher score and ranks below"),
    ("ranks_follow_scores", variant(Honest, lower_is_better=True), "has the lower score and ranks below"),
    ("ties_are_as_frequent_as_declared", variant(SharedFirst), "say draw_probability = 1"),
    ("ties_are_as_frequent_as_declared", variant(Honest, draw_probability=0.6), "draw_probability is 0.6"),
    ("views_can_be_sent", variant(IntegerKeys), "the keys of a view are texts"),
    ("views_can_be_sent", variant(SetInView), "is a set"),
    ("views_can_be_sent", variant(WideNumber), "53 bits"),
    ("pieces_are_conserved", variant(LostCard), "pieces"),
    ("the_same_seed_and_moves_give_the_same_record", variant(Dicey), "another"),
    ("copies_are_independent", variant(SharedCopy), "cop"),
    ("copies_are_independent", variant(Dicey), "different ways"),
    ("asking_changes_nothing", variant(PeeksWhileChecking), "not as it was"),
    ("lists_are_canonical", variant(DoubledList), "'claim 3' twice"),
    ("lists_are_canonical", variant(ShufflingList), "another one"),
    ("listed_moves_are_the_legal_moves", variant(ShortList), "not in the complete list"),
    ("listed_moves_are_the_legal_moves", variant(LongList), "no doubts here"),
    ("listed_moves_are_the_legal_moves", variant(NamelessRefusal), "lower_snake_case"),
    ("asked_seats_and_nobody_else_have_moves", variant(EverybodyHasMoves), "not asked"),
    ("asked_seats_and_nobody_else_have_moves", variant(BackwardSeats), "ascending"),
    ("asked_seats_and_nobody_else_have_moves", variant(NeverOver), "result()"),
    ("results_are_well_formed", variant(DenseRanks), "strictly better"),
    ("results_are_well_formed", variant(OtherScores), "final scores"),
    ("results_are_well_formed", variant(WordyReason), "reason"),
    ("texts_are_read_generously", variant(StrictParse), "no extra spaces"),
    ("texts_are_read_generously", variant(FragileParse), "raised"),
    ("views_can_be_sent", variant(TwoTypesOfViews), "types"),
    ("views_can_be_sent", variant(FickleView), "another one"),
    ("views_can_be_sent", variant(OtherBytes), "view_bytes"),
    *(
        ("views_have_the_common_shape", silent(name), f"'{name}' is missing")
        for name in ("asked", "events", "scores", "ranks", "reason")
    ),
    ("views_have_the_common_shape", silent("seat"), "the view of seat 0: 'seat' is None"),
    ("views_have_the_common_shape", telling(seat=0), "the view of the public: 'seat' is 0"),
    ("views_have_the_common_shape", telling(seat=lambda state, seat: -1), "the view of the public: 'seat' is -1"),
    ("views_have_the_common_shape", telling(asked=True), "not a list"),
    ("views_have_the_common_shape", telling(asked=[True]), "not a list of whole numbers"),
    ("views_have_the_common_shape", telling(asked=[1, 0]), "not ascending"),
    ("views_have_the_common_shape", telling(asked=[0, 1, 2, 3, 4, 5]), "but only [0, 1] are asked"),
    ("views_have_the_common_shape", telling(asked=[0]), "the view of seat 1: 'asked' is [0], but the seat itself is"),
    (
        "views_have_the_common_shape",
        telling(asked=lambda state, seat: list(state.pending()) if seat is None else [seat][: len(state.cards)]),
        "though the public sees that [0, 1] are asked",
    ),
    ("views_have_the_common_shape", telling(events=[]), "the last event is not that it ended"),
    ("views_have_the_common_shape", telling(events=["it began"]), "does not say its 'kind'"),
    ("views_have_the_common_shape", telling(events=[{"kind": ""}]), "does not say its 'kind'"),
    ("views_have_the_common_shape", telling(events=[{"kind": "won", "seat": "0"}]), "is no whole number"),
    ("views_have_the_common_shape", telling(events=[{"kind": "won", "seat": 5}]), "not at the table"),
    ("views_have_the_common_shape", telling(scores=lambda state, seat: [7] * state.players), "but scores() is"),
    ("views_have_the_common_shape", telling(ranks=lambda state, seat: [1] * state.players), "as the result says"),
    ("views_have_the_common_shape", telling(ranks=[]), "as the result says"),
    ("views_have_the_common_shape", telling(reason="finished"), "not '' as the result says"),
    ("views_have_the_common_shape", telling(reason=""), "not 'finished' as the result says"),
    ("views_have_the_common_shape", telling(reason=None), "not a text"),
    ("chance_is_drawn_under_declared_labels", variant(Honest, new=drawn_under("dice")), "'dice'"),
    ("chance_is_drawn_under_declared_labels", variant(Honest, new=drawn_under("deck", "pick")), "pick()"),
    ("players_and_options_are_strict", variant(Honest, resolve_options=lenient_options), "no_such_option"),
    ("players_and_options_are_strict", variant(Honest, check_players=lambda self, players: players), "players"),
    ("players_and_options_are_strict", variant(Honest, options={"rounds": Option(1, "", growing, (1,))}), "twice"),
    (
        "options_open_no_files",
        variant(Honest, options={"rounds": Option(1, "", opening, (1,))}),
        "there is such a file",
    ),
    ("boards_show_every_view", variant(Honest, drawing=drawn("x" * 41)), "for 40 columns has a line of 41"),
    ("boards_show_every_view", variant(Honest, drawing=drawn("漢" * 21)), "a line of 42"),
    ("boards_show_every_view", variant(Honest, drawing=drawn("é")), "in ASCII"),
    ("boards_show_every_view", variant(Honest, drawing=drawn("\x1b[1mx")), "move the cursor"),
    ("boards_show_every_view", variant(Honest, drawing=drawn("")), "empty"),
    ("boards_show_every_view", variant(Honest, picture=pictured("<text>&</text>")), "no well-formed XML"),
    ("boards_show_every_view", variant(Honest, picture=pictured("<script/>")), "the element 'script'"),
    ("boards_show_every_view", variant(Honest, picture=pictured('<rect id="a"/>')), "no ids"),
    ("boards_show_every_view", variant(Honest, picture=pictured("<style>text{}</style>")), "not scoped"),
    ("boards_show_every_view", variant(Honest, picture=pictured('<text x="99">x</text>')), "outside"),
    ("boards_show_every_view", variant(Honest, picture=pictured("", title="")), "<title>"),
    ("boards_show_every_view", variant(Honest, picture=unwell), "the game raised KeyError"),
    ("the_game_introduces_itself", variant(Honest, name="Tall Tales"), "lower_snake_case"),
    ("the_game_introduces_itself", variant(Honest, version=0), "version"),
    ("the_game_introduces_itself", variant(Honest, seats=Seats(3, 2)), "range"),
    ("the_game_introduces_itself", variant(Honest, rules=lambda self: ""), "RULES.md"),
]


@pytest.mark.parametrize(
    ("law", "game", "words"), BROKEN, ids=[f"{law}-{number}" for number, (law, _, _) in enumerate(BROKEN)]
)
def test_a_broken_game_is_caught_by_the_law_of_that_name(law: str, game: TallTales, words: str) -> None:
    with pytest.raises(LawBroken) as caught:
        check_law(game, law)
    assert words in str(caught.value)
    assert law.replace("_", " ") in str(caught.value)


def test_every_law_is_broken_by_some_variant() -> None:
    # test_planted_mistakes.py: cards are kept longer there, and matches can be imagined.
    elsewhere = {"redealt_agrees_with_all_that_was_seen", *(law for law in LAWS if law.startswith("imagined_"))}
    assert {law for law, _, _ in BROKEN} | elsewhere == set(LAWS)


def test_a_game_may_say_that_its_ranks_do_not_follow_from_scores() -> None:
    meant = variant(ReversedRanks, ranks_beside_scores="the lowest total wins")
    check_law(meant, "ranks_follow_scores")
    check_law(variant(ReversedRanks, lower_is_better=True), "ranks_follow_scores")


def test_a_broken_law_says_where_it_was_seen_in_parts_too() -> None:
    with pytest.raises(LawBroken) as caught:
        check_law(variant(LeakyView), "views_hide_what_a_seat_may_not_know", players=[3], options={"rounds": 2})
    broken = caught.value
    assert broken.case is not None
    assert (broken.case.players, broken.case.changed_options, broken.case.seed) == (3, {"rounds": 2}, 0)
    assert "shows what it may not know" in broken.seen
    assert "seed" not in broken.seen


def test_the_unbroken_variant_keeps_every_law() -> None:
    check_game(variant(Honest))


def test_a_broken_law_names_game_players_options_seed_and_decision() -> None:
    with pytest.raises(LawBroken, match=r"tall_tales: .*\(3 players, options \{'rounds': 2\}, seed 0, decision 0\)"):
        check_law(variant(LeakyView), "views_hide_what_a_seat_may_not_know", players=[3], options={"rounds": 2})
