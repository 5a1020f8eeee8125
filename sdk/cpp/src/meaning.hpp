// What a status of gRPC means to the author of a bot, and whether waiting can mend it.
#pragma once

#include <grpcpp/support/status.h>

#include <string>

#include "arena/settings.hpp"

namespace arena {

// Throws Refused, which is final, or Gone, after which it is worth trying again. `where` is the address that was
// tried; `first`: there was no Welcome yet.
[[noreturn]] void throw_meaning(const grpc::Status& status, const std::string& where, const Settings& settings,
                                bool first);

}  // namespace arena
