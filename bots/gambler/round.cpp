// A round of Flip 7 that can be played on in one's head: hands, pile, and players who act by a simple rule.
#include "round.hpp"

namespace {

constexpr unsigned kNumbers = 13;  // the cards 0 to 12 are the numbers themselves
constexpr int kFlip7 = 7;
constexpr unsigned kSeatsOfOneDeck = 18;

constexpr std::array<unsigned, 22> kDeck = {1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 1, 1, 1, 1, 1, 3, 3, 3};

int bonus_of(unsigned card) {
  return 2 * (static_cast<int>(card) - 12);
}

}  // namespace

unsigned Dice::below(unsigned limit) {
  std::uint64_t mixed = (state_ += 0x9E3779B97F4A7C15u);
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  mixed ^= mixed >> 31;
  return static_cast<unsigned>(((mixed >> 32) * limit) >> 32);
}

Round::Round(const flip7::View& view)
    : totals_(view.scores().begin(), view.scores().end()),
      unserved_(view.unserved().begin(), view.unserved().end()),
      me_(view.seat()),
      turn_(view.turn()),
      card_(view.card()),
      goal_(static_cast<int>(view.target_score())),
      faq_(view.rules() == flip7::RULES_FAQ) {
  const unsigned decks = view.players_size() > static_cast<int>(kSeatsOfOneDeck) ? 2 : 1;
  for (unsigned card = 0; card < pile_.size(); ++card) {
    pile_[card] = view.pile_counts(static_cast<int>(card));
    pile_size_ += pile_[card];
    discards_[card] = decks * kDeck[card] - pile_[card];
  }
  // What lies on the table is not among the discards.
  const auto lies = [this](unsigned card) { discards_[card] -= discards_[card] > 0; };
  for (const auto& player : view.players()) {
    Hand hand;
    for (const unsigned card : player.cards()) {
      put(card, hand);
      lies(card);
    }
    hand.in = player.status() == flip7::STATUS_IN;
    hand.busted = player.status() == flip7::STATUS_BUSTED;
    hands_.push_back(hand);
  }
  for (const auto& three : view.threes()) {
    threes_.push_back({three.seat(), static_cast<int>(three.left()), {three.aside().begin(), three.aside().end()}});
    lies(flip7::SPECIAL_CARD_THREE);
    for (const unsigned card : three.aside()) lies(card);
  }
  if (view.question() == flip7::QUESTION_TARGET) lies(card_);
}

void Round::hit(Dice& dice) {
  deal(me_, dice, nullptr);
  play_on(dice);
}

void Round::stay(Dice& dice) {
  hands_[me_].in = false;
  play_on(dice);
}

void Round::target(unsigned seat, Dice& dice) {
  use_on(seat, card_, dice);
  while (!threes_.empty() && !over_) {  // those that are under way go on, the innermost first
    Three three = std::move(threes_.back());
    threes_.pop_back();
    deal_three(std::move(three), dice);
  }
  play_on(dice);
}

// A card that can do no harm, or whose harm is known.
void Round::put(unsigned card, Hand& hand) {
  if (card < kNumbers) {
    hand.numbers |= 1u << card;
    hand.sum += static_cast<int>(card);
    ++hand.count;
  } else if (card < flip7::SPECIAL_CARD_X2) {
    hand.bonus += bonus_of(card);
  } else if (card == flip7::SPECIAL_CARD_X2) {
    hand.times *= 2;
  } else if (card == flip7::SPECIAL_CARD_SECOND_CHANCE) {
    hand.second_chance = true;
  }
}

int Round::draw(Dice& dice) {
  if (pile_size_ == 0) {
    pile_ = discards_;
    discards_.fill(0);
    for (const unsigned copies : pile_) pile_size_ += copies;
    if (pile_size_ == 0) return -1;
  }
  unsigned place = dice.below(pile_size_--);
  unsigned card = 0;
  while (place >= pile_[card]) place -= pile_[card++];
  --pile_[card];
  return static_cast<int>(card);
}

// One card for a seat; specials wait at the side if there is one.
void Round::deal(unsigned seat, Dice& dice, std::vector<unsigned>* aside) {
  const int drawn = draw(dice);
  if (drawn < 0) {
    over_ = true;  // there is none to be had: the round is broken off
    return;
  }
  const auto card = static_cast<unsigned>(drawn);
  Hand& hand = hands_[seat];
  if (card < kNumbers && (hand.numbers >> card & 1) != 0) {
    if (hand.second_chance) {
      hand.second_chance = false;
      ++discards_[card];
      ++discards_[flip7::SPECIAL_CARD_SECOND_CHANCE];
    } else {
      hand.in = false;
      hand.busted = true;
    }
  } else if (card <= flip7::SPECIAL_CARD_X2) {
    put(card, hand);
    over_ = hand.count >= kFlip7;
  } else if (aside != nullptr && !(faq_ && card == flip7::SPECIAL_CARD_SECOND_CHANCE)) {
    aside->push_back(card);
  } else {
    use(seat, card, dice);
  }
}

void Round::use(unsigned owner, unsigned card, Dice& dice) {
  const int seat = choose(owner, card);
  if (seat < 0) {
    ++discards_[card];
  } else {
    use_on(static_cast<unsigned>(seat), card, dice);
  }
}

void Round::use_on(unsigned seat, unsigned card, Dice& dice) {
  if (card == flip7::SPECIAL_CARD_SECOND_CHANCE) {
    hands_[seat].second_chance = true;
  } else if (card == flip7::SPECIAL_CARD_STOP) {
    hands_[seat].in = false;
  } else {
    deal_three({seat, 3, {}}, dice);
  }
}

void Round::deal_three(Three three, Dice& dice) {
  for (; three.left > 0 && hands_[three.seat].in && !over_; --three.left) deal(three.seat, dice, &three.aside);
  const bool lost = faq_ && hands_[three.seat].busted;
  for (const unsigned card : three.aside) {
    if (over_) return;
    if (!lost || card == flip7::SPECIAL_CARD_SECOND_CHANCE) use(three.seat, card, dice);
  }
  ++discards_[flip7::SPECIAL_CARD_THREE];
}

void Round::play_on(Dice& dice) {
  for (const unsigned seat : unserved_) {
    turn_ = seat;
    if (hands_[seat].in && !over_) deal(seat, dice, nullptr);
  }
  const auto seats = static_cast<unsigned>(hands_.size());
  for (unsigned out = 0; out < seats && !over_;) {
    turn_ = (turn_ + 1) % seats;
    if (!hands_[turn_].in) {
      ++out;
    } else {
      out = 0;
      if (wants_card(turn_)) {
        deal(turn_, dice, nullptr);
      } else {
        hands_[turn_].in = false;
      }
    }
  }
}

// The simple rule: as long as the next card brings more than it costs, on average, and the match is not won already.
bool Round::wants_card(unsigned seat) const {
  const Hand& hand = hands_[seat];
  const int points = hand.points();
  if (points == 0 || hand.second_chance) return true;
  if (totals_[seat] + points >= goal_) {
    bool ahead = true;
    for (unsigned other = 0; other < hands_.size(); ++other) {
      ahead = ahead && (other == seat || total(other) < totals_[seat] + points);
    }
    if (ahead) return false;
  }
  int gain = 0;
  int duplicates = 0;
  for (unsigned number = 0; number < kNumbers; ++number) {
    const int copies = static_cast<int>(pile_[number]);
    if ((hand.numbers >> number & 1) != 0) {
      duplicates += copies;
    } else {
      gain += copies * (static_cast<int>(number) * hand.times + (hand.count == kFlip7 - 1 ? 15 : 0));
    }
  }
  for (unsigned card = kNumbers; card < flip7::SPECIAL_CARD_X2; ++card) {
    gain += static_cast<int>(pile_[card]) * bonus_of(card);
  }
  gain += static_cast<int>(pile_[flip7::SPECIAL_CARD_X2]) * hand.sum * hand.times;
  return gain > duplicates * points;
}

// A gift for the weakest, everything else for the strongest of the others; -1 if there is nobody to name.
int Round::choose(unsigned owner, unsigned card) const {
  const bool gift = card == flip7::SPECIAL_CARD_SECOND_CHANCE;
  if (gift && hands_[owner].in && !hands_[owner].second_chance) return static_cast<int>(owner);
  if (card == flip7::SPECIAL_CARD_THREE && hands_[owner].in && hands_[owner].count == 0) {
    return static_cast<int>(owner);  // with an empty hand three cards are rather a gift
  }
  int best = -1;
  for (unsigned seat = 0; seat < hands_.size(); ++seat) {
    if (seat == owner || !hands_[seat].in || (gift && hands_[seat].second_chance)) continue;
    const bool better = best < 0 || (gift ? total(seat) < total(static_cast<unsigned>(best))
                                          : total(seat) > total(static_cast<unsigned>(best)));
    if (better) best = static_cast<int>(seat);
  }
  return best < 0 && !gift && hands_[owner].in ? static_cast<int>(owner) : best;
}
