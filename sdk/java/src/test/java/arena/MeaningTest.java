package arena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.grpc.Status;
import java.net.ConnectException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

/** The same mistake gets the same sentence as in every other SDK. */
class MeaningTest {
  private static void assertMeans(
      int code, String sentence, Status status, boolean token, boolean tls, boolean first) {
    var meaning = Meaning.of(status, "here:1", token, tls, first);
    assertEquals(sentence, meaning.getMessage());
    assertEquals(code, meaning.code());
  }

  private static Status broken(Throwable cause) {
    return Status.UNAVAILABLE.withDescription("io exception").withCause(cause);
  }

  @Test
  void tokens() {
    assertMeans(
        2,
        "here:1 did not accept the token: check REFEREE_TOKEN or --token; the host makes one with"
            + " 'referee bot add NAME'",
        Status.UNAUTHENTICATED,
        true,
        false,
        true);
    assertMeans(
        2,
        "here:1 did not accept the token: give it with --token or REFEREE_TOKEN; the host makes one"
            + " with 'referee bot add NAME'",
        Status.UNAUTHENTICATED,
        false,
        false,
        true);
  }

  @Test
  void refusals() {
    for (var status :
        new Status[] {
          Status.ALREADY_EXISTS,
          Status.FAILED_PRECONDITION,
          Status.INVALID_ARGUMENT,
          Status.PERMISSION_DENIED,
          Status.RESOURCE_EXHAUSTED
        }) {
      assertMeans(
          2,
          "here:1 refused: for a reason",
          status.withDescription("for a reason"),
          true,
          false,
          false);
    }
    assertMeans(
        2,
        "here:1 is a gRPC server, but no Referee server of this version: no such method",
        Status.UNIMPLEMENTED.withDescription("no such method"),
        true,
        false,
        true);
  }

  @Test
  void certificates() {
    assertMeans(
        2,
        "the certificate of here:1 is made out to another name: ask for the server by that name",
        broken(new SSLHandshakeException("No subject alternative DNS name matching here found.")),
        true,
        true,
        true);
    var untrusted = new SSLHandshakeException("General OpenSslEngine problem");
    untrusted.initCause(
        new CertificateException("unable to find valid certification path to requested target"));
    assertMeans(
        2,
        "the certificate of here:1 is not trusted: give the one to trust with --ca FILE",
        broken(untrusted),
        true,
        true,
        true);
  }

  @Test
  void whatWaitingCanMend() {
    assertMeans(
        3,
        "no Referee server listens at here:1",
        broken(new ConnectException("Connection refused")),
        true,
        false,
        true);
    assertMeans(
        3,
        "here:1: it is stopping",
        Status.UNAVAILABLE.withDescription("it is stopping"),
        true,
        false,
        false);
    assertMeans(
        3,
        "lost the connection to here:1",
        Status.UNAVAILABLE.withDescription("away"),
        true,
        false,
        false);
    assertMeans(
        3,
        "lost the connection to here:1 (4711)",
        Status.INTERNAL.withDescription("4711"),
        true,
        false,
        true);
    assertMeans(
        3,
        "cannot reach a Referee server at here:1 (away; if it speaks TLS, give --tls or --ca FILE)",
        Status.UNAVAILABLE.withDescription("away"),
        true,
        false,
        true);
    assertMeans(
        3,
        "cannot reach a Referee server at here:1 (there is no such host; if it speaks TLS, give"
            + " --tls or --ca FILE)",
        Status.UNAVAILABLE.withCause(new java.net.UnknownHostException("here")),
        true,
        false,
        true);
  }
}
