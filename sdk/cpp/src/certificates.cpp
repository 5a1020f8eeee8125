// Files of certificates to trust.
#include "certificates.hpp"

#include <openssl/pem.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "arena/errors.hpp"

namespace arena {

namespace {

bool holds_certificate(const std::string& pem) {
  BIO* const text = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509* const found = PEM_read_bio_X509(text, nullptr, nullptr, nullptr);
  const bool holds = found != nullptr;
  X509_free(found);
  BIO_free(text);
  return holds;
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
