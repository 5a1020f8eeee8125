// Nonces: this bot's part in the drawing of a tournament's deals, so that the host alone cannot choose them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arena/v1/match.pb.h"

namespace arena {

// What this bot has drawn, by tournament and draw. It outlives a lost connection.
class Nonces {
 public:
  // What to say to a call, if anything.
  std::optional<v1::Nonce> answer(const v1::Nonces& call);
  // Whether what was fixed lacks this bot's nonce, or has other commitments than those to which it was told.
  bool broken(const v1::Nonces& call) const;

 private:
  struct Drawn {
    std::string nonce;
    std::optional<std::vector<std::string>> shown;  // names and commitments as they were when the nonce was told
  };
  using Key = std::pair<std::string, std::uint32_t>;

  std::map<Key, Drawn> drawn_;
};

}  // namespace arena
