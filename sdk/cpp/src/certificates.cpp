// Files of certificates to trust.
#include "certificates.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "arena/errors.hpp"
#include "text.hpp"

namespace arena {

namespace {

constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----";
constexpr std::string_view kEnd = "-----END CERTIFICATE-----";

// Whether there is a certificate in it: base64 whose first byte, 0x30, opens a sequence of DER, which is an 'M'.
bool holds_certificate(std::string_view text) {
  const auto begin = text.find(kBegin);
  if (begin == std::string_view::npos) return false;
  text.remove_prefix(begin + kBegin.size());
  const auto body = trimmed(text.substr(0, text.find(kEnd)));
  return text.find(kEnd) != std::string_view::npos && body.size() > 100 && body.front() == 'M';
}

}  // namespace

std::string read_certificates(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) throw WrongUse("--ca: there is no file " + file);
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw WrongUse("--ca: cannot read " + file + ": " + std::strerror(errno));
  if (!holds_certificate(text.str())) throw WrongUse("--ca: " + file + " holds no certificate (PEM)");
  return text.str();
}

}  // namespace arena
