package arena;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Settings from the command line, then from the REFEREE_… variables; what is wrong is said with a
 * line of usage.
 */
final class Flags {
  static final String HELP =
      """
      usage: BOT [flags]

      A bot for a Referee server.

        --server HOST:PORT   where the referee listens, or unix:PATH (default: localhost:7700)
        --token TOKEN        the bot's token, from the host
        --name NAME          the bot's name, if you want it checked against the token
        --concurrency N      how many matches to play at once
        --tls                the server speaks TLS
        --ca FILE            certificate to trust, PEM (implies --tls)
        --practice GAME      play practice matches of this game, then stop
        --against BOT,...    who takes the other seats: house bots, bots that practise, 'anyone'
        --matches N          how many practice matches (default: 1)
        --options JSON       options of the practised game
        --record FILE        keep what the bot saw and answered, a JSON object per line
        --strict             stop at the first error in decide
        --quiet              print nothing but errors and warnings
        --help, -h           this text

      REFEREE_SERVER, REFEREE_TOKEN, REFEREE_NAME, REFEREE_CONCURRENCY, REFEREE_TLS and REFEREE_CA
      stand in for missing flags.
      """;

  private static final String USAGE =
      "usage: BOT [--server HOST:PORT] [--token TOKEN] [--practice GAME] ... (--help tells all)";

  /** Flags with a value, and what it is called. */
  private static final Map<String, String> WITH_VALUE =
      Map.of(
          "--server", "HOST:PORT",
          "--token", "TOKEN",
          "--name", "NAME",
          "--concurrency", "N",
          "--ca", "FILE",
          "--practice", "GAME",
          "--against", "BOT,…",
          "--matches", "N",
          "--options", "JSON",
          "--record", "FILE");

  private static final List<String> SWITCHES = List.of("--tls", "--strict", "--quiet", "--help");
  private static final Set<String> OFF = Set.of("", "0", "no", "off", "false");
  private static final Pattern ADDRESS =
      Pattern.compile("unix:.+|(?!https?:)(dns:(///)?)?[^/]+:[0-9]{1,5}", Pattern.DOTALL);
  private static final Pattern TOKEN = Pattern.compile("[!-~]*");

  private final Map<String, String> given = new HashMap<>();
  private final Map<String, String> environment;

  private Flags(Map<String, String> environment) {
    this.environment = environment;
  }

  /** Wrong use: the sentence, after a line of usage. */
  static final class WrongUse extends Exception {
    private static final long serialVersionUID = 1L;

    private WrongUse(String sentence) {
      super(sentence);
    }

    String text() {
      return USAGE + "\nerror: " + getMessage();
    }
  }

  /** The settings; none if {@code --help} or {@code -h} was asked for. */
  static Optional<Settings> read(List<String> arguments, Map<String, String> environment)
      throws WrongUse {
    if (arguments.contains("--help") || arguments.contains("-h")) {
      return Optional.empty();
    }
    var flags = new Flags(environment);
    flags.sort(arguments);
    return Optional.of(flags.settings());
  }

  private void sort(List<String> arguments) throws WrongUse {
    for (var words = arguments.iterator(); words.hasNext(); ) {
      var word = words.next();
      var parts = word.startsWith("--") ? word.split("=", 2) : new String[] {word};
      var flag = parts[0];
      if (SWITCHES.contains(flag)) {
        if (parts.length > 1) {
          throw new WrongUse(flag + ": it takes no value");
        }
        given.put(flag, "");
      } else if (!WITH_VALUE.containsKey(flag)) {
        throw new WrongUse(unknown(word));
      } else if (parts.length > 1) {
        given.put(flag, parts[1]);
      } else {
        var value = words.hasNext() ? words.next() : null;
        if (value == null || value.startsWith("--")) {
          var called = WITH_VALUE.get(flag);
          throw new WrongUse(flag + ": its value is missing; write " + flag + " " + called);
        }
        given.put(flag, value);
      }
    }
  }

  private static String unknown(String word) {
    if (!word.startsWith("-")) {
      return "'" + word + "' belongs to no flag; --help shows all of them";
    }
    var flag = word.split("=", 2)[0];
    var known = Stream.concat(WITH_VALUE.keySet().stream().sorted(), SWITCHES.stream()).toList();
    var hint = Spelling.meant(flag, known).map(near -> "did you mean " + near + "?");
    return flag + ": there is no such flag; " + hint.orElse("--help shows all of them");
  }

  private Settings settings() throws WrongUse {
    var server = orElse("--server", "REFEREE_SERVER", Settings.DEFAULT_SERVER);
    if (!ADDRESS.matcher(server).matches()) {
      throw new WrongUse(
          "--server: '" + server + "' is not an address: write HOST:PORT or unix:PATH");
    }
    var token = orElse("--token", "REFEREE_TOKEN", "").strip();
    if (!TOKEN.matcher(token).matches()) {
      throw new WrongUse("--token: it has characters that no token has; copy it again");
    }
    var builder =
        Settings.at(server)
            .token(token)
            .name(orElse("--name", "REFEREE_NAME", ""))
            .concurrency(concurrency())
            .tls(
                given.containsKey("--tls")
                    || !OFF.contains(variable("REFEREE_TLS").toLowerCase(Locale.ROOT)))
            .ca(certificate())
            .practice(practice())
            .record(given.containsKey("--record") ? Path.of(given.get("--record")) : null)
            .strict(given.containsKey("--strict"))
            .quiet(given.containsKey("--quiet"));
    if (!variable("REFEREE_PATIENCE").isEmpty()) {
      builder.patience(seconds("REFEREE_PATIENCE", variable("REFEREE_PATIENCE")));
    }
    return builder.build();
  }

  private int concurrency() throws WrongUse {
    return given.containsKey("--concurrency")
        ? whole("--concurrency", given.get("--concurrency"))
        : variable("REFEREE_CONCURRENCY").isEmpty()
            ? 0
            : whole("REFEREE_CONCURRENCY", variable("REFEREE_CONCURRENCY"));
  }

  private Path certificate() throws WrongUse {
    var file = orElse("--ca", "REFEREE_CA", "");
    if (file.isEmpty()) {
      return null;
    }
    var path = Path.of(file);
    if (!Files.isRegularFile(path)) {
      throw new WrongUse("--ca: there is no file " + file);
    }
    try (InputStream in = Files.newInputStream(path)) {
      if (CertificateFactory.getInstance("X.509").generateCertificates(in).isEmpty()) {
        throw new CertificateException("none");
      }
    } catch (CertificateException none) {
      throw new WrongUse("--ca: " + file + " holds no certificate (PEM)");
    } catch (IOException error) {
      throw new WrongUse("--ca: " + file + " cannot be read");
    }
    return path;
  }

  private Settings.Practice practice() throws WrongUse {
    if (given.getOrDefault("--practice", "").isEmpty()) {
      for (var flag : List.of("--against", "--matches", "--options")) {
        if (given.containsKey(flag)) {
          throw new WrongUse(flag + " goes with --practice GAME");
        }
      }
      return null;
    }
    var against = Arrays.stream(given.getOrDefault("--against", "").split(",")).map(String::strip);
    var matches = whole("--matches", given.getOrDefault("--matches", "1"));
    if (matches < 1) {
      throw new WrongUse("--matches: 1 is the least");
    }
    return new Settings.Practice(
        given.get("--practice"),
        against.filter(name -> !name.isEmpty()).toList(),
        matches,
        given.getOrDefault("--options", ""));
  }

  private String orElse(String flag, String variable, String otherwise) {
    var standIn = variable(variable);
    return given.getOrDefault(flag, standIn.isEmpty() ? otherwise : standIn);
  }

  private String variable(String name) {
    return environment.getOrDefault(name, "");
  }

  private static int whole(String flag, String text) throws WrongUse {
    if (!text.matches("[0-9]{1,9}")) {
      throw new WrongUse(flag + ": '" + text + "' is not a whole number");
    }
    return Integer.parseInt(text);
  }

  private static Duration seconds(String flag, String text) throws WrongUse {
    if (!text.matches("[0-9]{1,9}(\\.[0-9]{1,9})?")) {
      throw new WrongUse(flag + ": '" + text + "' is no number of seconds");
    }
    return Duration.ofMillis(Math.round(Double.parseDouble(text) * 1000));
  }
}
