// What the author of a bot reads about its matches.
#include "sentences.hpp"

#include "arena/v1/match.pb.h"
#include "text.hpp"

namespace arena {

namespace {

constexpr std::size_t kLegalShown = 12;

}  // namespace

std::string termination_word(int termination) {
  if (!v1::Termination_IsValid(termination)) termination = v1::TERMINATION_UNSPECIFIED;
  return lower(v1::Termination_Name(termination).substr(std::string("TERMINATION_").size()));
}

std::string ended_sentence(const Result& result) {
  const Match& match = *result.match;
  std::vector<std::string> others;
  for (std::size_t seat = 0; seat < match.names.size(); ++seat) {
    if (seat != match.seat) others.push_back(match.names[seat]);
  }
  std::string text = match.game + " " + match.id + ": rank " + std::to_string(result.ranks[match.seat]) + " of " +
                     std::to_string(result.ranks.size()) + ", score " + std::to_string(result.scores[match.seat]);
  if (!others.empty()) text += " against " + joined(others, ", ");
  const std::string& how = result.terminations[match.seat];
  const std::string& why = result.texts[match.seat];
  if (!why.empty()) text += " (" + (why.starts_with(how) ? why : how + ": " + why) + ")";
  return text;
}

std::string rejected_sentence(const v1::Rejected& rejected, const Decision* question) {
  std::string text = "match " + rejected.match_id() + ", decision " + std::to_string(rejected.decision()) + ": '" +
                     rejected.move_text() + "' was refused: " + rejected.message() + ".";
  if (question != nullptr && !question->legal().empty()) {
    const auto& legal = question->legal();
    const bool all = legal.size() <= kLegalShown;
    const auto shown = all ? legal.end() : legal.begin() + kLegalShown;
    text += question->complete() ? " Legal were: " : " Legal would have been, among others: ";
    text += joined({legal.begin(), shown}, " | ") + (all ? "." : " | ….");
  }
  if (rejected.has_strikes_left()) text += " Strikes left: " + std::to_string(rejected.strikes_left()) + ".";
  return text;
}

std::string late_sentence(const Decision& decision, std::chrono::duration<double> took) {
  const std::chrono::duration<double> budget = decision.budget();
  return "decision " + std::to_string(decision.number()) + " of match " + decision.match() + " took " +
         fixed(took.count(), 1) + " s, its budget was " + fixed(budget.count(), 1) + " s; the rest came from the bank";
}

std::string failed_sentence(const Decision& decision) {
  return "decision " + std::to_string(decision.number()) + " of " + decision.game() + " match " + decision.match() +
         " went wrong in decide; resigning this match.";
}

void Tally::add(std::size_t rank) {
  ++matches;
  ranks += rank;
  first += rank == 1;
}

std::string Tally::sentence(std::size_t errors) const {
  const double mean = static_cast<double>(ranks) / static_cast<double>(matches);
  return std::to_string(matches) + " matches: mean rank " + fixed(mean, 2) + ", " + std::to_string(first) + " first, " +
         std::to_string(errors) + " resigned by errors";
}

}  // namespace arena
