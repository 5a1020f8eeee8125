// What a status of gRPC means to the author of a bot, and whether waiting can mend it.
#include "meaning.hpp"

#include "arena/errors.hpp"
#include "text.hpp"

namespace arena {

namespace {

[[noreturn]] void throw_unavailable(const std::string& details, const std::string& where, const Settings& settings,
                                    bool first) {
  const std::string text = lower(details);
  const auto says = [&](const char* words) { return text.find(words) != std::string::npos; };
  // OpenSSL and BoringSSL, with which gRPC may have been built, write the same words with spaces or underscores.
  if (says("certificate verify failed") || says("certificate_verify_failed")) {
    throw Refused("the certificate of " + where + " is not trusted: give the one to trust with --ca FILE");
  }
  if (says("hostname verification") || says("peer name")) {
    throw Refused("the certificate of " + where + " is made out to another name: ask for the server by that name");
  }
  if (says("wrong version number") || says("wrong_version_number")) {
    throw Refused(where + " does not speak TLS: leave out --tls and --ca");
  }
  if (says("connection refused") || says("no such file")) throw Gone("no Referee server listens at " + where);
  if (says("stopping")) throw Gone(where + ": " + details);
  if (!first) throw Gone("lost the connection to " + where);
  const auto colon = details.rfind(": ");
  std::string why = colon == std::string::npos ? details : details.substr(colon + 2);
  while (!why.empty() && (why.back() == ']' || why.back() == '}')) why.pop_back();
  if (why.empty()) why = "no answer";
  const char* hint = settings.tls ? "" : "; if it speaks TLS, give --tls or --ca FILE";
  throw Gone("cannot reach a Referee server at " + where + " (" + why + hint + ")");
}

}  // namespace

void throw_meaning(const grpc::Status& status, const std::string& where, const Settings& settings, bool first) {
  const std::string details = as_utf8(status.error_message());
  switch (status.error_code()) {
    case grpc::StatusCode::UNAUTHENTICATED: {
      const char* hint =
          settings.token.empty() ? "give it with --token or REFEREE_TOKEN" : "check REFEREE_TOKEN or --token";
      throw Refused(where + " did not accept the token: " + hint + "; the host makes one with 'referee bot add NAME'");
    }
    case grpc::StatusCode::UNIMPLEMENTED:
      throw Refused(where + " is a gRPC server, but no Referee server of this version: " + details);
    case grpc::StatusCode::ALREADY_EXISTS:
    case grpc::StatusCode::FAILED_PRECONDITION:
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::PERMISSION_DENIED:
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      throw Refused(where + " refused: " + details);
    case grpc::StatusCode::UNAVAILABLE:
      throw_unavailable(details, where, settings, first);
    default:
      throw Gone("lost the connection to " + where + (details.empty() ? "" : " (" + details + ")"));
  }
}

}  // namespace arena
