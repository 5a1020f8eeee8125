"""Mistakes that an author of a game makes, each planted in the game that `referee new-game` makes: `check_game` names
the law that is broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.rules.laws import LAWS, LawBroken, check_game

from .skeleton_game import Edit, make

MISTAKES = {
    "the_bound_is_one_decision_short": (
        "matches_end_within_their_bound",
        Edit("game.py", "players * (MOST_OPEN + 1)", "players * (MOST_OPEN + 1) - 1"),
    ),
    "secret_cards_are_shown_from_the_start": (
        "views_hide_what_a_seat_may_not_know",
        Edit("state.py", '"cards": self.secret if all(self.stopped) else []', '"cards": self.secret'),
    ),
    "the_list_is_sorted_by_what_the_next_card_will_be": (
        "views_hide_what_a_seat_may_not_know",
        Edit("state.py", "else (STAY, DRAW)\n", "else (STAY, DRAW) if self.deck[0] > 5 else (DRAW, STAY)\n"),
    ),
    "secret_cards_count_in_the_public_score": (
        "views_hide_what_a_seat_may_not_know",
        Edit("state.py", "(self.secret[seat] if all(self.stopped) else 0)", "self.secret[seat]"),
    ),
    "ranks_are_reversed": (
        "ranks_follow_scores",
        Edit("state.py", "Result(ranks(scores), tuple(scores))", "Result(ranks(-s for s in scores), tuple(scores))"),
    ),
    "everybody_is_first": (
        "ties_are_as_frequent_as_declared",
        Edit("state.py", "Result(ranks(scores), tuple(scores))", "Result((1,) * self.players, tuple(scores))"),
    ),
    "a_copy_shares_a_list": (
        "copies_are_independent",
        Edit("state.py", "        twin.stopped = self.stopped.copy()\n", ""),
    ),
    "a_copy_shares_the_lists_in_a_list": (
        "copies_are_independent",
        Edit("state.py", "[cards.copy() for cards in self.open]", "self.open.copy()"),
    ),
    "cards_are_drawn_by_the_clock": (
        "copies_are_independent",
        Edit(
            "state.py",
            "self.deck.pop(0)",
            "self.deck.pop(__import__('time').perf_counter_ns() // 100 % len(self.deck))",
        ),
    ),
    "a_drawn_card_is_lost": (
        "pieces_are_conserved",
        Edit("state.py", "self.open[seat].append(card)", "self.open[seat].append(card) if card < 10 else None"),
    ),
    "the_fallback_forgets_the_full_hand": (
        "fallbacks_are_legal",
        Edit(
            "state.py",
            "    # How it stands",
            "    def fallback(self, seat: Seat) -> str:\n        return DRAW\n\n    #",
        ),
    ),
    "check_is_laxer_than_the_list": (
        "listed_moves_are_the_legal_moves",
        Edit(
            "state.py",
            "    # How it stands",
            "    def check(self, seat: Seat, move: str) -> Rejection | None:\n        return None\n\n    #",
        ),
    ),
    "it_is_over_when_the_first_has_stopped": (
        "asked_seats_and_nobody_else_have_moves",
        Edit(
            "state.py",
            "if not all(self.stopped):\n            return None",
            "if not any(self.stopped):\n            return None",
        ),
    ),
    "two_spaces_are_no_space": (
        "texts_are_read_generously",
        Edit("state.py", "text.split()", 'text.split(" ")'),
    ),
    "a_view_has_numbers_as_keys": (
        "views_can_be_sent",
        Edit("state.py", '"open": self.open,', '"open": dict(enumerate(self.open)),'),
    ),
    "a_view_holds_a_set": (
        "views_can_be_sent",
        Edit("state.py", '"stopped": self.stopped,', '"stopped": {seat for seat in range(self.players)},'),
    ),
    "a_view_tells_scores_in_its_own_word": (
        "views_have_the_common_shape",
        Edit("state.py", "common(self, seat, self.log.since(seat)) | {", '{"points": self.scores()} | {'),
    ),
    "an_event_tells_no_kind": (
        "views_have_the_common_shape",
        Edit("state.py", '{"kind": "drew", "seat": seat, "card": card}', '{"seat": seat, "card": card}'),
    ),
    "everybody_is_told_to_be_asked": (
        "views_have_the_common_shape",
        Edit("state.py", '"limit": self.limit,', '"limit": self.limit, "asked": list(range(self.players)),'),
    ),
    "the_reason_is_told_before_the_end": (
        "views_have_the_common_shape",
        Edit("state.py", '"limit": self.limit,', '"limit": self.limit, "reason": "finished",'),
    ),
    "a_label_is_not_declared": (
        "chance_is_drawn_under_declared_labels",
        Edit("game.py", 'chance.order("deck", CARDS)', 'chance.order("cards", CARDS)'),
    ),
    "nothing_is_dealt_anew": (
        "redealing_really_redeals",
        Edit("state.py", "twin.deck = unknown\n", "twin = self.copy()\n"),
    ),
    "an_imagined_match_has_forgotten_what_happened": (
        "imagined_matches_show_the_view_they_are_made_from",
        Edit("state.py", 'Log.told(players, view["events"])', "Log(players)"),
    ),
    "the_own_secret_card_lies_in_the_imagined_deck_too": (
        "imagined_matches_show_the_view_they_are_made_from",
        Edit("state.py", " + [card for card in shown if card is not None]", ""),
    ),
    "an_imagined_match_plays_with_the_lists_of_the_view": (
        "imagined_matches_play_on",
        Edit("game.py", "read_dict(view)", "view if isinstance(view, dict) else read_dict(view)"),
    ),
    "imagined_secret_cards_are_the_highest_there_are": (
        "imagined_odds_are_those_of_redeals",
        Edit("state.py", 'chance.order("deck", sorted((Counter', "(sorted((Counter"),
    ),
    "the_default_of_an_option_is_not_allowed": (
        "players_and_options_are_strict",
        Edit("game.py", "whole(12, 5, 30,", "whole(40, 5, 30,"),
    ),
}


def test_there_are_fifteen_and_more() -> None:
    assert len(MISTAKES) >= 15
    assert {law for law, _ in MISTAKES.values()} <= set(LAWS)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_by_the_law_it_breaks(mistake: str, tmp_path: Path) -> None:
    law, edit = MISTAKES[mistake]
    game = make(tmp_path, f"planted_{list(MISTAKES).index(mistake)}", [edit])
    with pytest.raises(LawBroken) as caught:
        check_game(game)
    assert f"law broken: {law.replace('_', ' ')}: {game.name}: " in str(caught.value)


def test_without_a_mistake_every_law_is_kept(tmp_path: Path) -> None:
    check_game(make(tmp_path, "planted_nothing"))


def test_a_redeal_that_forgets_what_was_seen_earlier_is_caught(tmp_path: Path) -> None:
    """The secret card is shown until the first card is drawn; after that the redeal deals it anew, and the present view
    alone cannot tell."""
    shown_once = [
        Edit("state.py", "None if seat is None else self.secret[seat]", "self._own(seat)"),
        Edit(
            "state.py",
            "    def _bust(",
            "    def _own(self, seat: Seat | None) -> int | None:\n"
            "        return None if seat is None or self.open[seat] else self.secret[seat]\n\n"
            "    def _bust(",
        ),
    ]
    forgets = Edit(
        "state.py", "if other != seat]\n        unknown", "if other != seat or self.open[seat]]\n        unknown"
    )
    with pytest.raises(
        LawBroken, match=r"redealt agrees with all that was seen: planted_forgets: redealt\(\d\) forgets"
    ):
        check_game(make(tmp_path, "planted_forgets", [*shown_once, forgets]))
    check_game(make(tmp_path, "planted_remembers", shown_once))
    said = Edit("game.py", "    version = 1\n", '    version = 1\n    redealt_forgets = "the secret card"\n')
    check_game(make(tmp_path, "planted_says_so", [*shown_once, forgets, said]))
