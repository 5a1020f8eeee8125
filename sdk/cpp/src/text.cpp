// Text that fits into a message: UTF-8, trimmed, shortened.
#include "text.hpp"

#include <cstdint>
#include <cstdio>

namespace arena {

namespace {

// How many bytes the character at the beginning has; 0 if there is none.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t place) { return static_cast<std::uint8_t>(text[place]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t place = 1; place < length; ++place) {
    if ((byte(place) & 0xC0) != 0x80) return 0;
  }
  // Too long a form, half of a surrogate pair, or beyond the last character.
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F)) return 0;
  if ((first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F)) return 0;
  return length;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = character(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string as_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = character(text);
    if (length == 0) {
      out += '?';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const auto begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string joined(const std::vector<std::string>& texts, std::string_view separator) {
  std::string out;
  for (const auto& text : texts) {
    if (&text != &texts.front()) out += separator;
    out += text;
  }
  return out;
}

std::string shortened(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<std::uint8_t>(text[most]) & 0xC0) == 0x80) --most;
  text.resize(most);
  return text;
}

std::string fixed(double number, int places) {
  char out[64];
  std::snprintf(out, sizeof out, "%.*f", places, number);
  return out;
}

std::string plain(double number) {
  char out[64];
  std::snprintf(out, sizeof out, "%g", number);
  return out;
}

}  // namespace arena
