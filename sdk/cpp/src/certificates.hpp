// Files of certificates to trust.
#pragma once

#include <string>

namespace arena {

// What is in the file; WrongUse if it cannot be read or holds no certificate in PEM.
std::string read_certificates(const std::string& file);

}  // namespace arena
