// `arena::run`: from a `decide` to a program that plays.
#pragma once

#include <memory>

#include "arena/bot.hpp"
#include "arena/settings.hpp"

namespace arena {

// Reads flags and environment, connects, and plays until there is nothing more to play or a signal asks to leave.
// Returns the exit code: 0 done, 1 a match was resigned because of an error in the bot, 2 wrong use or refused by the
// server, 3 the server cannot be reached or the machine failed, 130 interrupted for the second time.
// Flags and environment win over `defaults`. If `decide` is still running at the end, the process ends here.
int run(int argc, const char* const* argv, Players players, const Settings& defaults = {});

// One function for all matches.
int run(int argc, const char* const* argv, Decide decide, const Settings& defaults = {});

// An object of its own for every match: arena::run<MyBot>(argc, argv).
template <class MyBot>
int run(int argc, const char* const* argv, const Settings& defaults = {}) {
  return run(argc, argv, Players::each([] { return std::make_unique<MyBot>(); }), defaults);
}

}  // namespace arena
