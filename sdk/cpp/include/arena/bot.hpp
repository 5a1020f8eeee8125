// A bot: one function for all matches, or one object per match.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "arena/decision.hpp"

namespace arena {

// Derive from it, and write `decide`. Objects of different matches think at the same time on different threads; one
// object is never asked by two threads at once. What objects share needs a lock.
class Bot {
 public:
  virtual ~Bot() = default;
  virtual void start(const Match&) {}
  // The move as text. An exception is shown and resigns the match.
  virtual std::string decide(const Decision& decision) = 0;
  virtual void end(const Result&) {}
};

// One function for all matches, asked one question at a time, so it needs no locks.
using Decide = std::function<std::string(const Decision&)>;
// Makes the object for a match.
using MakeBot = std::function<std::unique_ptr<Bot>()>;

// Who plays: where the bot of a match comes from.
class Players {
 public:
  static Players function(Decide decide);
  // An object of its own for every match.
  static Players each(MakeBot make);
  // One object plays all matches, by default one after the other. It must live longer than the client.
  static Players one(Bot& bot);

  std::shared_ptr<Bot> make() const { return make_(); }
  // Whether one thread at a time may ask, whatever the match.
  bool shared() const { return shared_; }
  // How many matches at once, unless told otherwise.
  unsigned concurrency() const { return concurrency_; }

 private:
  Players(std::function<std::shared_ptr<Bot>()> make, bool shared, unsigned concurrency);

  std::function<std::shared_ptr<Bot>()> make_;
  bool shared_;
  unsigned concurrency_;
};

}  // namespace arena
