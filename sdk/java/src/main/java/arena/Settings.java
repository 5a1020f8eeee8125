package arena;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * How a bot connects and plays. {@link Arena#run} reads it from the command line and the
 * environment; a program with a loop of its own makes one with {@link #at}.
 *
 * @param server {@code HOST:PORT} or {@code unix:PATH}
 * @param token the bot's token, from the host; empty: none
 * @param name the bot's name, to have it checked against the token; empty: not checked
 * @param games the games it plays; empty: all
 * @param concurrency matches at once; 0: the SDK chooses (16, or 1 where one object plays all
 *     matches)
 * @param withoutLegal whether lists of legal moves are not wanted
 * @param tls whether the server speaks TLS
 * @param ca the certificate to trust, PEM; null: those that the machine trusts
 * @param practice the practice matches wished for; null: none
 * @param record where to keep what the bot saw and answered; null: nowhere
 * @param strict whether the first error in the bot ends the program
 * @param quiet whether only errors and warnings are printed
 * @param patience how long to keep trying after a lost connection
 * @param firstPatience how long to keep trying for the first connection
 * @param sendAfter how long an answer waits for the others of its message
 */
public record Settings(
    String server,
    String token,
    String name,
    List<String> games,
    int concurrency,
    boolean withoutLegal,
    boolean tls,
    Path ca,
    Practice practice,
    Path record,
    boolean strict,
    boolean quiet,
    Duration patience,
    Duration firstPatience,
    Duration sendAfter) {

  static final String DEFAULT_SERVER = "localhost:7700";

  /**
   * A wish for practice matches.
   *
   * @param game the game to practise
   * @param against who takes the other seats
   * @param matches how many, one after the other
   * @param options the game's options as a JSON object; empty: none
   */
  public record Practice(String game, List<String> against, int matches, String options) {}

  /** The settings for a server; everything else as it usually is. */
  public static Builder at(String server) {
    return new Builder(server);
  }

  /** Makes settings step by step. */
  public static final class Builder {
    private String server;
    private String token = "";
    private String name = "";
    private List<String> games = List.of();
    private int concurrency;
    private boolean withoutLegal;
    private boolean tls;
    private Path ca;
    private Practice practice;
    private Path record;
    private boolean strict;
    private boolean quiet;
    private Duration patience = Duration.ofSeconds(600);
    private Duration firstPatience = Duration.ofSeconds(15);
    private Duration sendAfter = Duration.ofMillis(20);

    private Builder(String server) {
      this.server = server;
    }

    /** The bot's token. */
    public Builder token(String value) {
      token = value;
      return this;
    }

    /** The bot's name, to have it checked. */
    public Builder name(String value) {
      name = value;
      return this;
    }

    /** The only games it plays. */
    public Builder games(String... values) {
      games = List.of(values);
      return this;
    }

    /** Matches at once. */
    public Builder concurrency(int value) {
      concurrency = value;
      return this;
    }

    /** Leaves out the lists of legal moves. */
    public Builder withoutLegal() {
      withoutLegal = true;
      return this;
    }

    /** The server speaks TLS. */
    public Builder tls(boolean value) {
      tls = value;
      return this;
    }

    /** The certificate to trust; implies TLS. */
    public Builder ca(Path value) {
      ca = value;
      return this;
    }

    /** Plays practice matches, then stops. */
    public Builder practice(Practice value) {
      practice = value;
      return this;
    }

    /** Keeps what the bot saw and answered. */
    public Builder record(Path value) {
      record = value;
      return this;
    }

    /** Stops at the first error in the bot. */
    public Builder strict(boolean value) {
      strict = value;
      return this;
    }

    /** Prints only errors and warnings. */
    public Builder quiet(boolean value) {
      quiet = value;
      return this;
    }

    /** How long to keep trying, at the first connection and later. */
    public Builder patience(Duration value) {
      patience = value;
      firstPatience = value;
      return this;
    }

    /** How long an answer waits for the others of its message. */
    public Builder sendAfter(Duration value) {
      sendAfter = value;
      return this;
    }

    /** The settings. */
    public Settings build() {
      return new Settings(
          server,
          token,
          name,
          games,
          concurrency,
          withoutLegal,
          tls || ca != null,
          ca,
          practice,
          record,
          strict,
          quiet,
          patience,
          firstPatience,
          sendAfter);
    }
  }
}
