package arena;

import io.grpc.Status;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/** What a status of gRPC means to the author of a bot, and whether waiting can mend it. */
final class Meaning {
  private static final String CHECK_TOKEN = "check REFEREE_TOKEN or --token";
  private static final String GIVE_TOKEN = "give it with --token or REFEREE_TOKEN";
  private static final Pattern OTHER_NAME =
      Pattern.compile("No name matching|No [Ss]ubject [Aa]lternative");
  private static final Pattern NOT_TRUSTED =
      Pattern.compile("CertificateException|CertPathBuilderException|CERTIFICATE_VERIFY|PKIX");
  private static final Pattern NO_TLS =
      Pattern.compile("NotSslRecord|WRONG_VERSION_NUMBER|Unsupported or unrecognized SSL");
  private static final Pattern NOTHING_LISTENS =
      Pattern.compile("NoSuchFile|No such file|Connection refused|ConnectException.*refused");

  private Meaning() {}

  /**
   * The error to act on: with the code {@link ArenaException#GONE} it is worth trying again,
   * otherwise it is final.
   *
   * @param where the address as it was given
   * @param hasToken whether a token was sent
   * @param tls whether TLS was spoken
   * @param first whether no stream has worked yet
   */
  static ArenaException of(
      Status status, String where, boolean hasToken, boolean tls, boolean first) {
    var details = status.getDescription() == null ? "" : status.getDescription();
    return switch (status.getCode()) {
      case UNAUTHENTICATED ->
          refused(
              "%s did not accept the token: %s; the host makes one with 'referee bot add NAME'"
                  .formatted(where, hasToken ? CHECK_TOKEN : GIVE_TOKEN));
      case UNIMPLEMENTED ->
          refused(where + " is a gRPC server, but no Referee server of this version: " + details);
      case ALREADY_EXISTS,
          FAILED_PRECONDITION,
          INVALID_ARGUMENT,
          PERMISSION_DENIED,
          RESOURCE_EXHAUSTED ->
          refused(where + " refused: " + details);
      case UNAVAILABLE -> unreachable(status, details, where, tls, first);
      default ->
          first && status.getCause() != null // no answer of a server, but a failure on the way
              ? unreachable(status, details, where, tls, true)
              : gone("lost the connection to " + where + inBrackets(details));
    };
  }

  private static ArenaException unreachable(
      Status status, String details, String where, boolean tls, boolean first) {
    var causes = causes(status.getCause());
    var text = String.join("\n", causes.stream().map(String::valueOf).toList());
    if (tls && OTHER_NAME.matcher(text).find()) {
      return refused(
          "the certificate of %s is made out to another name: ask for the server by that name"
              .formatted(where));
    }
    if (tls && NOT_TRUSTED.matcher(text).find()) {
      return refused(
          "the certificate of " + where + " is not trusted: give the one to trust with --ca FILE");
    }
    if (tls && NO_TLS.matcher(text).find()) {
      return refused(where + " does not speak TLS: leave out --tls and --ca");
    }
    if (NOTHING_LISTENS.matcher(text).find()) {
      return gone("no Referee server listens at " + where);
    }
    if (details.contains("stopping")) {
      return gone(where + ": " + details);
    }
    if (!first) {
      return gone("lost the connection to " + where);
    }
    var why = causes.isEmpty() ? details : why(causes.get(causes.size() - 1));
    var hint = tls ? "" : "; if it speaks TLS, give --tls or --ca FILE";
    return gone(
        "cannot reach a Referee server at %s (%s%s)"
            .formatted(where, why.isEmpty() ? "no answer" : why, hint));
  }

  /** The words that the server gave, if it gave any. */
  private static String inBrackets(String details) {
    return details.isEmpty() ? "" : " (" + details + ")";
  }

  private static String why(Throwable cause) {
    if (cause instanceof UnknownHostException) {
      return "there is no such host";
    }
    var text = cause.getMessage() == null ? "" : cause.getMessage().lines().findFirst().orElse("");
    return cause instanceof SSLException || text.isEmpty()
        ? cause.toString().lines().findFirst().orElse("")
        : text;
  }

  private static List<Throwable> causes(Throwable cause) {
    var found = new ArrayList<Throwable>();
    for (; cause != null && !found.contains(cause); cause = cause.getCause()) {
      found.add(cause);
    }
    return found;
  }

  private static ArenaException refused(String text) {
    return new ArenaException(ArenaException.REFUSED, text);
  }

  private static ArenaException gone(String text) {
    return new ArenaException(ArenaException.GONE, text);
  }
}
