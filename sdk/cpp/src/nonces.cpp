// Nonces: this bot's part in the drawing of a tournament's deals, so that the host alone cannot choose them.
#include "nonces.hpp"

#include <openssl/sha.h>

#include <algorithm>
#include <random>
#include <string_view>

#include "text.hpp"

namespace arena {

namespace {

constexpr std::size_t kNonceBytes = 32;

std::string random_bytes() {
  std::random_device dice;  // the system's own generator
  std::uniform_int_distribution<int> byte(0, 255);
  std::string bytes;
  while (bytes.size() < kNonceBytes) bytes += static_cast<char>(byte(dice));
  return bytes;
}

// SHA-256 (hex) over a label, the tournament, the draw and the nonce, each behind its length in four bytes.
std::string commitment(const v1::Nonces& call, const std::string& nonce) {
  std::string message;
  for (const std::string& part : {std::string("referee nonce"), call.tournament(), std::to_string(call.draw()), nonce}) {
    const auto size = static_cast<std::uint32_t>(part.size());
    for (int shift = 24; shift >= 0; shift -= 8) message += static_cast<char>(size >> shift & 0xff);
    message += part;
  }
  unsigned char sum[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(message.data()), message.size(), sum);
  return hex({reinterpret_cast<const char*>(sum), sizeof sum});
}

// Names and commitments, one after the other.
std::vector<std::string> shown_in(const v1::Nonces& call) {
  std::vector<std::string> shown;
  for (const auto& entrant : call.entrants()) {
    shown.push_back(entrant.name());
    shown.push_back(entrant.commitment());
  }
  return shown;
}

}  // namespace

std::optional<v1::Nonce> Nonces::answer(const v1::Nonces& call) {
  const Key key{call.tournament(), call.draw()};
  if (call.step() == v1::NONCE_STEP_COMMIT && !drawn_.contains(key)) drawn_[key].nonce = random_bytes();
  const auto found = drawn_.find(key);
  if (found == drawn_.end()) return std::nullopt;
  Drawn& mine = found->second;
  const auto promise = commitment(call, mine.nonce);
  v1::Nonce said;
  said.set_tournament(call.tournament());
  said.set_draw(call.draw());
  if (call.step() == v1::NONCE_STEP_COMMIT) {
    said.set_commitment(promise);
    return said;
  }
  if (call.step() != v1::NONCE_STEP_REVEAL) return std::nullopt;
  auto shown = shown_in(call);
  const bool listed = std::find(shown.begin(), shown.end(), promise) != shown.end();
  // Told once: to a second list of commitments, which might have been made for this nonce, nothing is said.
  if (!listed || (mine.shown && *mine.shown != shown)) return std::nullopt;
  mine.shown = std::move(shown);
  said.set_nonce(hex(mine.nonce));
  return said;
}

bool Nonces::broken(const v1::Nonces& call) const {
  const auto found = drawn_.find({call.tournament(), call.draw()});
  if (call.step() != v1::NONCE_STEP_FIXED || found == drawn_.end()) return false;
  const auto mine = hex(found->second.nonce);
  if (found->second.shown != shown_in(call)) return true;
  return std::none_of(call.entrants().begin(), call.entrants().end(),
                      [&](const auto& entrant) { return entrant.nonce() == mine; });
}

}  // namespace arena
