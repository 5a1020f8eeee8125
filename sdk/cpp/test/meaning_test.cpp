// From a gRPC status to a sentence, and whether waiting can mend it.
#include "meaning.hpp"

#include <gtest/gtest.h>
#include <arena/errors.hpp>

namespace arena::test {
namespace {

// The sentence, after "2 " if it is final and "3 " if it is worth trying again.
std::string meaning(grpc::StatusCode code, const std::string& details, bool first = true, bool tls = false) {
  Settings settings;
  settings.token = first ? "" : "token";
  settings.tls = tls;
  try {
    throw_meaning(grpc::Status(code, details), "here:1", settings, first);
  } catch (const ArenaError& error) {
    return std::to_string(error.exit_code()) + " " + error.what();
  }
}

TEST(Meaning, OfRefusals) {
  using enum grpc::StatusCode;
  EXPECT_EQ(meaning(UNAUTHENTICATED, ""),
            "2 here:1 did not accept the token: give it with --token or REFEREE_TOKEN; the host makes one with "
            "'referee bot add NAME'");
  EXPECT_EQ(meaning(UNAUTHENTICATED, "", false),
            "2 here:1 did not accept the token: check REFEREE_TOKEN or --token; the host makes one with 'referee bot "
            "add NAME'");
  EXPECT_EQ(meaning(UNIMPLEMENTED, "what?"), "2 here:1 is a gRPC server, but no Referee server of this version: what?");
  for (const auto code :
       {ALREADY_EXISTS, FAILED_PRECONDITION, INVALID_ARGUMENT, PERMISSION_DENIED, RESOURCE_EXHAUSTED}) {
    EXPECT_EQ(meaning(code, "no"), "2 here:1 refused: no");
  }
}

TEST(Meaning, OfTls) {
  using enum grpc::StatusCode;
  for (const char* words : {"CERTIFICATE_VERIFY_FAILED", "SSL routines::certificate verify failed"}) {
    EXPECT_EQ(meaning(UNAVAILABLE, words),
              "2 the certificate of here:1 is not trusted: give the one to trust with --ca FILE");
  }
  EXPECT_EQ(meaning(UNAVAILABLE, "Peer name here is not in peer certificate"),
            "2 the certificate of here:1 is made out to another name: ask for the server by that name");
  EXPECT_EQ(meaning(UNAVAILABLE, "SSL routines::wrong version number"),
            "2 here:1 does not speak TLS: leave out --tls and --ca");
}

TEST(Meaning, OfServersThatAreAway) {
  using enum grpc::StatusCode;
  EXPECT_EQ(meaning(UNAVAILABLE, "x: Connection refused"), "3 no Referee server listens at here:1");
  EXPECT_EQ(meaning(UNAVAILABLE, "x: No such file or directory"), "3 no Referee server listens at here:1");
  EXPECT_EQ(meaning(UNAVAILABLE, "the server is stopping; come back in a while", false),
            "3 here:1: the server is stopping; come back in a while");
  EXPECT_EQ(meaning(UNAVAILABLE, "Socket closed", false), "3 lost the connection to here:1");
  EXPECT_EQ(meaning(UNAVAILABLE, "last error: Timed out"),
            "3 cannot reach a Referee server at here:1 (Timed out; if it speaks TLS, give --tls or --ca FILE)");
  EXPECT_EQ(meaning(UNAVAILABLE, "", true, true), "3 cannot reach a Referee server at here:1 (no answer)");
  EXPECT_EQ(meaning(INTERNAL, "see 4711"), "3 lost the connection to here:1 (see 4711)");
}

}  // namespace
}  // namespace arena::test
