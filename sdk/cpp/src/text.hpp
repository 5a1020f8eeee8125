// Text that fits into a message: UTF-8, lower case, trimmed, shortened.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace arena {

bool is_utf8(std::string_view text);
// The same with everything that is no UTF-8 replaced by U+FFFD.
std::string as_utf8(std::string_view text);
// ASCII only.
std::string lower(std::string text);
// Two digits per byte.
std::string hex(std::string_view bytes);
std::string_view trimmed(std::string_view text);
// What comes before each separator and after the last.
std::vector<std::string> split(std::string_view text, char separator);
std::string joined(const std::vector<std::string>& texts, std::string_view separator);
// At most so many bytes, and no half character.
std::string shortened(std::string text, std::size_t most);
// "1.3" for 1.26: as printf writes it with so many places.
std::string fixed(double number, int places);
// "15" for 15.0 and "0.5" for 0.5.
std::string plain(double number);

}  // namespace arena
