// What a bot is told: the match, one question, and how it ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "arena/views.hpp"

namespace arena {

namespace v1 {
class Decide;
class MatchEnd;
class MatchStart;
}  // namespace v1

// What stays the same through a match.
struct Match {
  std::string id;
  std::string game;
  std::uint32_t seat = 0;
  std::vector<std::string> names;  // who sits where, this bot included
  nlohmann::json options = nlohmann::json::object();
  std::chrono::milliseconds limit{0};  // free time for every decision
  std::chrono::milliseconds bank{0};   // time for the whole match that is used up beyond the limit
  std::uint32_t game_version = 0;
  std::string tournament;  // empty in practice
  std::string view_type;
  std::string seed_commitment;
  std::string nonces_digest;  // SHA-256 (hex) over the entrants' nonces that went into the seed; empty: none

  static Match from(const v1::MatchStart& start);
};

// One question: what the bot sees, what it may do, how long it has.
class Decision {
 public:
  Decision(std::shared_ptr<const Match> info, v1::Decide&& question, std::string rejected = "");
  // The same question after a move that was refused.
  Decision after(std::string rejected) const;

  // All that this seat may know, as the game's message: decision.view<arena::games::flip7::v1::View>().
  template <class Message>
  const Message& view() const {
    return view_.as<Message>();
  }
  // The same where the view's type is "json".
  const nlohmann::json& json() const { return view_.json(); }
  const View& raw_view() const { return view_; }
  const std::string& view_bytes() const { return view_.bytes(); }

  // Moves as text in canonical order. Answer one of them, or any other legal move where `complete` is false.
  const std::vector<std::string>& legal() const { return legal_; }
  bool complete() const { return complete_; }

  std::uint32_t seat() const { return info_->seat; }
  const std::string& match() const { return info_->id; }
  const std::string& game() const { return info_->game; }
  const Match& info() const { return *info_; }
  std::uint32_t number() const { return number_; }

  // Free time for this decision, and what the match still holds beyond it.
  std::chrono::milliseconds budget() const { return budget_; }
  std::chrono::milliseconds bank() const { return bank_; }
  // Whether this question was put before.
  bool again() const { return again_; }
  // Empty, or the referee's sentence about the move that this bot just tried: answer otherwise.
  const std::string& rejected() const { return rejected_; }

 private:
  std::shared_ptr<const Match> info_;
  View view_;
  std::vector<std::string> legal_;
  std::string rejected_;
  std::chrono::milliseconds budget_;
  std::chrono::milliseconds bank_;
  std::uint32_t number_;
  bool complete_;
  bool again_;
};

// How a match ended; by seat where there are several values.
struct Result {
  std::shared_ptr<const Match> match;
  std::vector<std::uint32_t> ranks;
  std::vector<std::int32_t> scores;
  std::vector<std::string> terminations;  // how each seat came to the end: "finished", "timeout"
  std::vector<std::string> texts;         // a sentence where a seat did not finish
  std::string reason;
  std::string seed;            // with it anybody can replay the match
  std::shared_ptr<View> view;  // this seat's final view; null if the match was broken off

  static Result from(std::shared_ptr<const Match> match, const v1::MatchEnd& end);
};

}  // namespace arena
