// A player of Flip 7 who tries everything in its head before it moves (Monte-Carlo rollouts).
//
// 1. For every legal move it plays the round to its end, many times over, with other cards each time. In these rounds
// all
//    players, itself included, act by a simple rule: take a card as long as that promises more than it risks. The rule
//    need not be good. Comparing moves by what comes after them plays better than the rule itself.
// 2. All moves are tried with the same cards to come. What differs then is due to the moves and not to luck, and far
// fewer
//    rounds are needed.
// 3. A round is worth what it does for the match, not its points: how likely each player wins, if every further round
//    adds about the same to everybody, give or take. The lead counts more the fewer rounds are left.
// 4. The dice follow from a hash of the view: the same question always gets the same answer.
#include <arena/arena.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "round.hpp"

namespace {

constexpr unsigned kRoundsInAll = 3000;  // shared out among the moves
constexpr double kPointsPerRound = 18;   // of a usual player
constexpr double kSpread = 14;           // how far a lead carries with one round to go
constexpr double kWinning = 0.75;        // what it is worth to win; the rest is for being ahead of each of the others

std::uint64_t hash(const std::string& bytes) {  // FNV-1a
  std::uint64_t value = 0xCBF29CE484222325u;
  for (const unsigned char byte : bytes) value = (value ^ byte) * 0x100000001B3u;
  return value;
}

// What the end of a round is worth to a seat, from 0 (certainly the last) to 1 (certainly the winner).
double worth(const Round& round, unsigned me, int goal) {
  const auto seats = static_cast<unsigned>(round.seats());
  int most = round.total(0);
  unsigned leaders = 0;
  for (unsigned seat = 0; seat < seats; ++seat) most = std::max(most, round.total(seat));
  for (unsigned seat = 0; seat < seats; ++seat) leaders += round.total(seat) == most;
  const int mine = round.total(me);
  const bool over = most >= goal && leaders == 1;
  const double rounds_left = std::max(1.0, (goal - most) / kPointsPerRound);
  const double spread = kSpread * std::sqrt(rounds_left);
  double winners = 0;
  double ahead = 0;
  for (unsigned seat = 0; seat < seats; ++seat) {
    const double lead = mine - round.total(seat);
    const double against_me = std::exp(-lead / spread);
    winners += against_me;
    if (seat != me) ahead += over ? (lead > 0 ? 1.0 : lead == 0 ? 0.5 : 0.0) : 1 / (1 + against_me);
  }
  const double win = over ? (mine == most ? 1.0 : 0.0) : 1 / winners;
  return kWinning * win + (1 - kWinning) * ahead / (seats - 1);
}

void play(const std::string& move, Round& round, Dice& dice) {
  if (move == "hit") {
    round.hit(dice);
  } else if (move == "stay") {
    round.stay(dice);
  } else {
    round.target(static_cast<unsigned>(std::stoul(move.substr(move.find(' ')))), dice);
  }
}

class Gambler : public arena::Bot {
 public:
  std::string decide(const arena::Decision& decision) override {
    const auto& moves = decision.legal();
    if (moves.size() == 1) return moves.front();
    const auto& view = decision.view<flip7::View>();
    const Round now(view);
    const std::uint64_t seed = hash(decision.view_bytes());
    std::vector<double> sums(moves.size(), 0.0);
    for (unsigned times = kRoundsInAll / static_cast<unsigned>(moves.size()); times > 0; --times) {
      for (std::size_t move = 0; move < moves.size(); ++move) {
        Dice dice(seed + times);
        Round round = now;
        play(moves[move], round, dice);
        sums[move] += worth(round, decision.seat(), static_cast<int>(view.target_score()));
      }
    }
    const auto best = std::max_element(sums.begin(), sums.end());
    return moves[static_cast<std::size_t>(best - sums.begin())];
  }
};

}  // namespace

int main(int argc, char** argv) {
  arena::Settings defaults;
  defaults.games = {"flip7"};
  return arena::run<Gambler>(argc, argv, defaults);
}
