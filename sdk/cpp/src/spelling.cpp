// Which flag was meant by a misspelt one.
#include "spelling.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "text.hpp"

namespace arena {

namespace {

// How many letters are changed, added, left out or swapped with the next one.
std::size_t distance(const std::string& one, const std::string& other) {
  std::vector<std::size_t> above;
  std::vector<std::size_t> before(other.size() + 1);
  std::iota(before.begin(), before.end(), std::size_t{0});
  for (std::size_t i = 1; i <= one.size(); ++i) {
    std::vector<std::size_t> row{i};
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t changed = before[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
      std::size_t least = std::min({changed, before[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1]) {
        least = std::min(least, above[j - 2] + 1);
      }
      row.push_back(least);
    }
    above = std::exchange(before, std::move(row));
  }
  return before.back();
}

}  // namespace

std::string meant(const std::string& word, const std::vector<std::string>& flags) {
  const std::string typed = lower(word.substr(std::min(word.find_first_not_of('-'), word.size())));
  std::vector<std::string> begin;
  std::copy_if(flags.begin(), flags.end(), std::back_inserter(begin),
               [&](const std::string& flag) { return !typed.empty() && flag.starts_with("--" + typed); });
  if (begin.size() == 1) return begin.front();
  std::string nearest;
  std::size_t limit = std::min<std::size_t>(2, (typed.size() + 2) / 3) + 1;
  for (const auto& flag : flags) {
    const std::size_t wrong = distance(typed, flag.substr(2));
    if (wrong < limit) {
      nearest = flag;
      limit = wrong;
    }
  }
  return nearest;
}

}  // namespace arena
