// What can go wrong between a bot and its referee, each with the exit code it gives a program.
#pragma once

#include <stdexcept>
#include <string>

namespace arena {

inline constexpr int kExitDone = 0;
inline constexpr int kExitBotFailed = 1;
inline constexpr int kExitRefused = 2;
inline constexpr int kExitEnvironment = 3;
inline constexpr int kExitInterrupted = 130;

// The text is a sentence for people.
class ArenaError : public std::runtime_error {
 public:
  ArenaError(const std::string& text, int exit_code) : std::runtime_error(text), exit_code_(exit_code) {}
  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

// Wrong use, or the server will not have this bot: trying again does not help.
class Refused : public ArenaError {
 public:
  explicit Refused(const std::string& text) : ArenaError(text, kExitRefused) {}
};

// A flag or a variable is wrong; told after a line of usage.
class WrongUse : public Refused {
 public:
  using Refused::Refused;
};

// The server is away: it may come back.
class Gone : public ArenaError {
 public:
  explicit Gone(const std::string& text) : ArenaError(text, kExitEnvironment) {}
};

// The machine failed: a file cannot be written.
class CannotRecord : public ArenaError {
 public:
  explicit CannotRecord(const std::string& text) : ArenaError(text, kExitEnvironment) {}
};

// `decide` failed, and --strict asks to stop then.
class BotFailed : public ArenaError {
 public:
  explicit BotFailed(const std::string& text) : ArenaError(text, kExitBotFailed) {}
};

// A view cannot be read as what was asked for; the text says what would help.
class UnknownView : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace arena
