// The client: one bot on one server, for programs with a loop of their own. `arena::run` is made of it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "arena/bot.hpp"
#include "arena/settings.hpp"

namespace arena {

using Say = std::function<void(const std::string&)>;

// One line to stderr.
void to_stderr(const std::string& text);

class Client {
 public:
  Client(Players players, Settings settings, Say say = to_stderr);
  // Waits until no `decide` is running.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Plays until there is nothing more to play, and reconnects by itself. ArenaError says what waiting cannot mend.
  void play();

  // The following may be called from any thread, not from a signal handler.

  // Take no new matches; `play` returns after the running ones.
  void leave();
  // `play` returns at once.
  void stop();
  // How many matches are running.
  std::size_t playing() const;
  // How many matches were resigned because of an error in the bot.
  std::size_t errors() const;
  // Whether a `decide` is still running, which nobody waits for any more.
  bool thinking() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace arena
