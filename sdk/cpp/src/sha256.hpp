// SHA-256, as FIPS 180-4 describes it: the SDK needs no library for one hash.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace arena {

std::array<std::uint8_t, 32> sha256(std::string_view message);
std::string hex(std::string_view bytes);

}  // namespace arena
