// What the author of a bot reads about its matches.
#pragma once

#include <chrono>
#include <string>

#include "arena/decision.hpp"

namespace arena {

namespace v1 {
class Rejected;
}

// The lower-case word for a termination; "unspecified" for one that this version does not know.
std::string termination_word(int termination);

std::string ended_sentence(const Result& result);
// `question` is the one that was refused, or null if it is not known any more.
std::string rejected_sentence(const v1::Rejected& rejected, const Decision* question);
std::string late_sentence(const Decision& decision, std::chrono::duration<double> took);
std::string failed_sentence(const Decision& decision);

// How the matches of a bot went, in sum.
struct Tally {
  std::size_t matches = 0;
  std::size_t ranks = 0;
  std::size_t first = 0;

  void add(std::size_t rank);
  std::string sentence(std::size_t errors) const;
};

}  // namespace arena
