// `--record FILE`: what a bot saw and answered, a JSON object per line.
#pragma once

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "arena/decision.hpp"

namespace arena {

// Writes as it happens, so that a crash loses nothing. CannotRecord says why it cannot.
class Recording {
 public:
  explicit Recording(std::string file);

  void decided(const Decision& decision, const std::string& move, std::chrono::duration<double, std::milli> took);
  // Any other message of the referee.
  void note(const char* type, const google::protobuf::Message& message);

 private:
  using Line = nlohmann::ordered_json;
  static Line begin(const char* type);
  void write(const Line& line);

  std::string file_;
  std::ofstream out_;
};

}  // namespace arena
