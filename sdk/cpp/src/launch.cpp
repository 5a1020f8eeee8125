// `arena::run`: from a `decide` to a program that plays.
#include "arena/launch.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "arena/client.hpp"
#include "arena/errors.hpp"

namespace arena {

namespace {

// Ctrl-C and SIGTERM for one client: the first lets it leave, the second, or without a running match, stops it.
class Signals {
 public:
  explicit Signals(Client& client) : client_(client) {
    if (pipe(pipe_.data()) != 0) return;  // then signals do what they do by default
    for (const int end : pipe_) fcntl(end, F_SETFD, FD_CLOEXEC);
    write_end = pipe_[1];
    listener_ = std::thread([this] { listen(); });
    struct sigaction action = {};
    action.sa_handler = [](int) {
      const char word = kSignal;
      [[maybe_unused]] const auto written = write(write_end, &word, 1);
    };
    action.sa_flags = SA_RESTART;
    for (std::size_t place = 0; place < kNumbers.size(); ++place) {
      sigaction(kNumbers[place], &action, &before_[place]);
    }
  }

  ~Signals() {
    if (!listener_.joinable()) return;
    for (std::size_t place = 0; place < kNumbers.size(); ++place) {
      sigaction(kNumbers[place], &before_[place], nullptr);
    }
    const char word = kEnd;
    [[maybe_unused]] const auto written = write(pipe_[1], &word, 1);
    listener_.join();
    close(pipe_[0]);
    close(pipe_[1]);
  }

  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  bool interrupted() const { return heard_ > 1; }

 private:
  static constexpr std::array kNumbers{SIGINT, SIGTERM};
  static constexpr char kSignal = 's';
  static constexpr char kEnd = 'e';
  static inline volatile int write_end = -1;

  void listen() {
    char word = kEnd;
    while (read(pipe_[0], &word, 1) == 1 && word == kSignal) {
      if (++heard_ == 1 && client_.playing() > 0) {
        to_stderr("leaving after the running matches; once more to leave at once");
        client_.leave();
      } else {
        client_.stop();
      }
    }
  }

  Client& client_;
  std::array<int, 2> pipe_{};
  std::array<struct sigaction, 2> before_{};
  std::thread listener_;
  std::atomic<int> heard_{0};
};

int play(Players players, Settings settings) {
  Client client(std::move(players), std::move(settings));
  int code = kExitDone;
  {
    const Signals signals(client);
    try {
      client.play();
      code = signals.interrupted() ? kExitInterrupted : client.errors() > 0 ? kExitBotFailed : kExitDone;
    } catch (const ArenaError& error) {
      to_stderr(std::string("error: ") + error.what());
      code = error.exit_code();
    }
  }
  if (client.thinking()) {  // about a question that nobody waits for any more
    std::fflush(nullptr);
    std::_Exit(code);
  }
  return code;
}

}  // namespace

int run(int argc, const char* const* argv, Players players, const Settings& defaults) {
  // gRPC's own lines about what is told here in sentences; who wants them sets the variable.
  setenv("GRPC_VERBOSITY", "NONE", 0);
  const std::string program = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "bot";
  Settings settings;
  try {
    settings = read_settings({argv + (argc > 0 ? 1 : 0), argv + argc}, process_environment, defaults);
  } catch (const WrongUse& error) {
    to_stderr(usage_line(program) + "\nerror: " + error.what());
    return error.exit_code();
  }
  if (settings.help) {
    std::fputs(help_text(program).c_str(), stdout);
    return kExitDone;
  }
  return play(std::move(players), std::move(settings));
}

int run(int argc, const char* const* argv, Decide decide, const Settings& defaults) {
  return run(argc, argv, Players::function(std::move(decide)), defaults);
}

}  // namespace arena
