// Text that fits into a message: UTF-8, lower case, trimmed, shortened.
#include "text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace arena {

std::string as_utf8(std::string_view text) {
  using nlohmann::json;
  return json::parse(json(std::string(text)).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

bool is_utf8(std::string_view text) {
  return as_utf8(text) == text;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return text;
}

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
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
