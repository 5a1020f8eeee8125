// The conformbot of the C++ SDK: does what the first legal move says, so that the conformance kit can test the SDK.
// What it does is described in sdk/README.md.
#include <arena/games/flip7/v1/flip7.pb.h>
#include <arena/arena.hpp>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

std::string from_view(const arena::Decision& decision) {
  try {
    if (decision.raw_view().is_json()) return decision.json().at("answer").get<std::string>();
    return "round " + std::to_string(decision.view<arena::games::flip7::v1::View>().round());
  } catch (const arena::UnknownView&) {
    return "unreadable";
  }
}

// One match.
class Conformbot : public arena::Bot {
 public:
  void start(const arena::Match& match) override {
    std::string names;
    for (const auto& name : match.names) names += (names.empty() ? "" : ",") + name;
    arena::to_stderr("conformbot: start " + match.id + " seat " + std::to_string(match.seat) + " of " + names);
    if (match.id == "no-start") throw std::runtime_error("told to fail");
  }

  std::string decide(const arena::Decision& decision) override {
    ++asked_;
    const auto& legal = decision.legal();
    if (legal.empty()) return "pass";
    const std::string& first = legal.front();
    if (first == "fail") throw std::runtime_error("told to fail");
    if (first.starts_with("think:")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(std::stol(first.substr(6))));
      return legal.at(1);
    }
    if (first == "count") return std::to_string(asked_);
    if (first == "view") return from_view(decision);
    return decision.rejected().empty() ? first : legal.back();
  }

  void end(const arena::Result& result) override {
    const auto seat = result.match->seat;
    arena::to_stderr("conformbot: end " + result.match->id + " rank " + std::to_string(result.ranks[seat]) + " " +
                     result.terminations[seat]);
    if (result.match->id == "no-end") throw std::runtime_error("told to fail");
  }

 private:
  int asked_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return arena::run<Conformbot>(argc, argv);
}
