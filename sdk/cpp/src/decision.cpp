// What a bot is told: the match, one question, and how it ended.
#include "arena/decision.hpp"

#include "arena/v1/match.pb.h"
#include "sentences.hpp"

namespace arena {

Match Match::from(const v1::MatchStart& start) {
  Match match;
  match.id = start.match_id();
  match.game = start.game();
  match.seat = start.seat();
  match.names.assign(start.names().begin(), start.names().end());
  if (auto options = nlohmann::json::parse(start.options_json(), nullptr, false); options.is_object()) {
    match.options = std::move(options);
  }
  match.limit = std::chrono::milliseconds(start.time_control().limit_ms());
  match.bank = std::chrono::milliseconds(start.time_control().bank_ms());
  match.game_version = start.game_version();
  match.tournament = start.tournament();
  match.view_type = start.view_type();
  match.seed_commitment = start.seed_commitment();
  match.nonces_digest = start.nonces_digest();
  return match;
}

Decision::Decision(std::shared_ptr<const Match> info, v1::Decide&& question, std::string rejected)
    : info_(std::move(info)),
      view_(info_->view_type, std::move(*question.mutable_view())),
      legal_(std::make_move_iterator(question.mutable_legal()->begin()),
             std::make_move_iterator(question.mutable_legal()->end())),
      rejected_(std::move(rejected)),
      budget_(question.budget_ms()),
      bank_(question.bank_ms()),
      number_(question.decision()),
      complete_(question.complete()),
      again_(question.again()) {}

Decision Decision::after(std::string rejected) const {
  Decision question = *this;
  question.rejected_ = std::move(rejected);
  return question;
}

Result Result::from(std::shared_ptr<const Match> match, const v1::MatchEnd& end) {
  const auto& told = end.result();
  Result result;
  result.ranks.assign(told.ranks().begin(), told.ranks().end());
  result.scores.assign(told.scores().begin(), told.scores().end());
  for (const int how : told.terminations()) result.terminations.push_back(termination_word(how));
  result.texts.assign(told.texts().begin(), told.texts().end());
  // A bot asks for its own seat without looking whether it is there.
  const std::size_t seats = std::max<std::size_t>(match->names.size(), match->seat + 1u);
  if (result.ranks.size() < seats) result.ranks.resize(seats);
  if (result.scores.size() < seats) result.scores.resize(seats);
  if (result.terminations.size() < seats) result.terminations.resize(seats, termination_word(0));
  if (result.texts.size() < seats) result.texts.resize(seats);
  result.reason = told.reason();
  result.seed = end.seed();
  if (!end.view().empty()) result.view = std::make_shared<View>(match->view_type, end.view());
  result.match = std::move(match);
  return result;
}

}  // namespace arena
