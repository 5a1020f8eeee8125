// A round of Flip 7 that can be played on in one's head: hands, pile, and players who act by a simple rule.
#pragma once

#include <arena/games/flip7/v1/flip7.pb.h>

#include <array>
#include <cstdint>
#include <vector>

namespace flip7 = arena::games::flip7::v1;

// Random numbers that follow from a seed alone (splitmix64).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  // From 0 up to, not including, `limit`. Its bias is far below what a few thousand games could show.
  unsigned below(unsigned limit);

 private:
  std::uint64_t state_;
};

// The cards before a player, as far as they matter.
struct Hand {
  unsigned numbers = 0;  // a bit for each
  int count = 0;
  int sum = 0;
  int times = 1;
  int bonus = 0;
  bool second_chance = false;
  bool in = true;
  bool busted = false;

  int points() const { return busted ? 0 : sum * times + bonus + (count >= 7 ? 15 : 0); }
};

class Round {
 public:
  // As it stands in the view.
  explicit Round(const flip7::View& view);

  // The seat that is asked takes a card, leaves, or uses the special in question on somebody; then all play on to the
  // end of the round.
  void hit(Dice& dice);
  void stay(Dice& dice);
  void target(unsigned seat, Dice& dice);

  // What a seat has in the match once the round is over.
  int total(unsigned seat) const { return totals_[seat] + hands_[seat].points(); }
  std::size_t seats() const { return hands_.size(); }

 private:
  struct Three {
    unsigned seat;
    int left;
    std::vector<unsigned> aside;
  };

  void put(unsigned card, Hand& hand);
  int draw(Dice& dice);
  void deal(unsigned seat, Dice& dice, std::vector<unsigned>* aside);
  void use(unsigned owner, unsigned card, Dice& dice);
  void use_on(unsigned seat, unsigned card, Dice& dice);
  void deal_three(Three three, Dice& dice);
  void play_on(Dice& dice);
  bool wants_card(unsigned seat) const;
  int choose(unsigned owner, unsigned card) const;

  std::vector<Hand> hands_;
  std::vector<int> totals_;
  std::array<unsigned, 22> pile_{};
  std::array<unsigned, 22> discards_{};
  unsigned pile_size_ = 0;
  std::vector<Three> threes_;
  std::vector<unsigned> unserved_;
  unsigned me_;
  unsigned turn_;
  unsigned card_;
  int goal_;
  bool faq_;
  bool over_ = false;
};
