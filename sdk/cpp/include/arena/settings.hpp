// How a bot connects and plays: flags and environment.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace arena {

// A wish for practice matches.
struct Practice {
  std::string game;
  std::vector<std::string> against;
  unsigned matches = 1;
  std::string options_json;
};

struct Settings {
  std::string server = "localhost:7700";
  std::string token;
  std::string name;
  std::vector<std::string> games;            // empty: all
  unsigned concurrency = 0;                  // matches at once; 0: 16, or 1 where one object plays all matches
  unsigned threads = 0;                      // that think at once; 0: as many as the machine has, and at least 4
  std::chrono::milliseconds send_after{20};  // how long an answer waits for the others of its message
  bool without_legal = false;
  bool tls = false;
  std::string ca;  // file of the certificate to trust
  std::optional<Practice> practice;
  std::string record;
  bool strict = false;
  bool quiet = false;
  bool help = false;
  std::chrono::duration<double> first_patience{15};  // how long to try for the first connection
  std::chrono::duration<double> patience{600};       // how long to try after a lost connection
};

using Environment = std::function<std::optional<std::string>(const std::string&)>;

// The variables of this process.
std::optional<std::string> process_environment(const std::string& name);

// Flags win over the environment, and that over `defaults`. WrongUse says what is wrong.
Settings read_settings(const std::vector<std::string>& arguments, const Environment& environment = process_environment,
                       Settings defaults = {});

std::string usage_line(const std::string& program);
std::string help_text(const std::string& program);

}  // namespace arena
