// The bot's matches: who plays in each, and the question before it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "arena/bot.hpp"
#include "desk.hpp"
#include "thinkers.hpp"

namespace arena {

// The questions of one message, which are answered in one message.
struct Frame {
  std::size_t open = 0;  // still to be answered
};

// One question, from its arrival to its answer.
struct Asked {
  Asked(Decision question, std::shared_ptr<Frame> of) : decision(std::move(question)), frame(std::move(of)) {}

  const Decision decision;
  const std::shared_ptr<Frame> frame;
  const Clock::time_point came = Clock::now();  // the referee's clock runs from there, whatever the bot does first
  bool open = true;                    // counted in its frame
  std::atomic<bool> withdrawn{false};  // its answer is of no use any more
};

// What the bot made of a question.
struct Thought {
  std::string move;
  std::string error;  // empty: there is a move
  std::chrono::duration<double> took{0};
};

// What was said to a question, kept in case that it is lost on the way.
struct Reply {
  bool resigns = false;
  std::string text;  // the move, or why
};

struct Seat {
  std::shared_ptr<const Match> match;
  std::shared_ptr<Bot> bot;  // null before the start, and if that went wrong; only tasks of its lane touch it
  std::shared_ptr<Lane> lane;
  std::shared_ptr<Asked> asked;  // the latest question
  std::optional<Reply> reply;    // to the latest question; none while the bot thinks
  unsigned stream = 0;           // on which the latest question came last
  bool failed = false;           // the bot could not start it
};

// Runs the author's code; what it throws comes back as a text, empty if all is well.
std::string attempt(const std::function<void()>& code);

// Asks the bot.
Thought think(Bot& bot, const Decision& decision);

}  // namespace arena
