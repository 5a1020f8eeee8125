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

/**
 * Settings from the command line, then from the REFEREE_… variables; what is wrong is said with a
 * line of usage.
 */
final class Flags {
  private static final String USAGE =
      "usage: BOT [--server HOST:PORT] [--token TOKEN] [--practice GAME] ... (--help tells all)";

  /** One flag: what its value is called (empty: it takes none), and what it means. */
  private record Flag(String name, String value, String meaning) {}

  private static final List<Flag> FLAGS =
      List.of(
          new Flag("--server", "HOST:PORT", "the referee, or unix:PATH (default: localhost:7700)"),
          new Flag("--token", "TOKEN", "the bot's token, from the host"),
          new Flag("--name", "NAME", "the bot's name, if you want it checked against the token"),
          new Flag("--concurrency", "N", "how many matches to play at once"),
          new Flag("--tls", "", "the server speaks TLS"),
          new Flag("--ca", "FILE", "certificate to trust, PEM (implies --tls)"),
          new Flag("--practice", "GAME", "play practice matches of this game, then stop"),
          new Flag("--against", "BOT,…", "who takes the other seats: house bots, or 'anyone'"),
          new Flag("--matches", "N", "how many practice matches (default: 1)"),
          new Flag("--options", "JSON", "options of the practised game"),
          new Flag("--record", "FILE", "keep what the bot saw and answered, as lines of JSON"),
          new Flag("--strict", "", "stop at the first error in decide"),
          new Flag("--quiet", "", "print nothing but errors and warnings"),
          new Flag("--help", "", "or -h: this text"));

  /** Flags for which a variable stands in: REFEREE_SERVER for {@code --server}. */
  private static final List<String> IN_ENVIRONMENT =
      List.of("--server", "--token", "--name", "--concurrency", "--tls", "--ca");

  private static final Set<String> OFF = Set.of("", "0", "no", "off", "false");
  private static final Pattern TOKEN = Pattern.compile("[!-~]*");

  /** What was given, and what to name if it is wrong: the flag, or the variable in its place. */
  private record Value(String text, String source) {}

  private final Map<String, Value> given = new HashMap<>();

  private Flags() {}

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
    var flags = new Flags();
    flags.addArguments(arguments);
    flags.addVariables(environment);
    var settings = flags.settings();
    var patience = environment.getOrDefault("REFEREE_PATIENCE", "");
    if (!patience.isEmpty()) {
      settings.patience(seconds("REFEREE_PATIENCE", patience));
    }
    return Optional.of(settings.build());
  }

  /** What {@code --help} shows. */
  static String help() {
    var text = new StringBuilder("usage: BOT [flags]\n\nA bot for a Referee server.\n\n");
    for (var flag : FLAGS) {
      text.append("  %-21s%s\n".formatted(flag.name() + " " + flag.value(), flag.meaning()));
    }
    var variables = IN_ENVIRONMENT.stream().map(Flags::variable).toList();
    return text + "\n" + String.join(", ", variables) + "\nstand in for missing flags.\n";
  }

  private static String variable(String flag) {
    return "REFEREE_" + flag.substring(2).toUpperCase(Locale.ROOT);
  }

  private void addArguments(List<String> arguments) throws WrongUse {
    for (var words = arguments.iterator(); words.hasNext(); ) {
      var word = words.next();
      var parts = word.split("=", 2);
      var name = parts[0];
      var flag =
          FLAGS.stream()
              .filter(known -> known.name().equals(name))
              .findFirst()
              .orElseThrow(() -> new WrongUse(unknown(word, name)));
      var value = parts.length > 1 ? parts[1] : "";
      if (flag.value().isEmpty() && parts.length > 1) {
        throw new WrongUse(name + ": it takes no value");
      } else if (!flag.value().isEmpty() && parts.length == 1) {
        value = words.hasNext() ? words.next() : "--";
        if (value.startsWith("--")) {
          throw new WrongUse(name + ": its value is missing; write " + name + " " + flag.value());
        }
      }
      given.put(name, new Value(value, name));
    }
  }

  private void addVariables(Map<String, String> environment) {
    for (var flag : IN_ENVIRONMENT) {
      var value = environment.getOrDefault(variable(flag), "");
      var off = flag.equals("--tls") && OFF.contains(value.toLowerCase(Locale.ROOT));
      if (!value.isEmpty() && !off) {
        given.putIfAbsent(flag, new Value(value, variable(flag)));
      }
    }
  }

  private static String unknown(String word, String flag) {
    if (!word.startsWith("-")) {
      return "'" + word + "' belongs to no flag; --help shows all of them";
    }
    var hint =
        Spelling.meant(flag, FLAGS.stream().map(Flag::name).toList())
            .map(near -> "did you mean " + near + "?");
    return flag + ": there is no such flag; " + hint.orElse("--help shows all of them");
  }

  private Settings.Builder settings() throws WrongUse {
    var server = text("--server", Settings.DEFAULT_SERVER);
    if (!Connection.isAddress(server)) {
      throw new WrongUse(Connection.noAddress(server));
    }
    var token = text("--token", "").strip();
    if (!TOKEN.matcher(token).matches()) {
      throw new WrongUse("--token: it has characters that no token has; copy it again");
    }
    return Settings.at(server)
        .token(token)
        .name(text("--name", ""))
        .concurrency(whole("--concurrency", 0))
        .tls(given.containsKey("--tls"))
        .ca(certificate())
        .practice(practice())
        .record(given.containsKey("--record") ? Path.of(text("--record", "")) : null)
        .strict(given.containsKey("--strict"))
        .quiet(given.containsKey("--quiet"));
  }

  private Path certificate() throws WrongUse {
    var file = text("--ca", "");
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
    if (text("--practice", "").isEmpty()) {
      for (var flag : List.of("--against", "--matches", "--options")) {
        if (given.containsKey(flag)) {
          throw new WrongUse(flag + " goes with --practice GAME");
        }
      }
      return null;
    }
    var against = Arrays.stream(text("--against", "").split(",")).map(String::strip);
    var matches = whole("--matches", 1);
    if (matches < 1) {
      throw new WrongUse("--matches: 1 is the least");
    }
    return new Settings.Practice(
        text("--practice", ""),
        against.filter(name -> !name.isEmpty()).toList(),
        matches,
        text("--options", ""));
  }

  private String text(String flag, String otherwise) {
    return given.containsKey(flag) ? given.get(flag).text() : otherwise;
  }

  private int whole(String flag, int otherwise) throws WrongUse {
    if (!given.containsKey(flag)) {
      return otherwise;
    }
    var value = given.get(flag);
    if (!value.text().matches("[0-9]{1,9}")) {
      throw new WrongUse(value.source() + ": '" + value.text() + "' is not a whole number");
    }
    return Integer.parseInt(value.text());
  }

  private static Duration seconds(String flag, String text) throws WrongUse {
    if (!text.matches("[0-9]{1,9}(\\.[0-9]{1,9})?")) {
      throw new WrongUse(flag + ": '" + text + "' is no number of seconds");
    }
    return Duration.ofMillis(Math.round(Double.parseDouble(text) * 1000));
  }
}
