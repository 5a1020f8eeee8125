package arena;

import arena.v1.BotBody;
import arena.v1.Hello;
import arena.v1.PlayRequest;
import arena.v1.PlayResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A bot's side of the stream: says hello, stays connected, comes back after a lost connection. For
 * programs with a loop of their own; all others call {@link Arena#run}.
 */
public final class Client {
  private static final int USUAL_CONCURRENCY = 16;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private final Settings settings;
  private final int concurrency;
  private final Console console;
  private final Conversation conversation;

  /** What ends the client, whatever the stream does: an error, or the wish to stop. */
  private final CompletableFuture<Status> end = new CompletableFuture<>();

  /** A client whose one bot plays all matches; it is asked by one thread at a time. */
  public Client(Bot bot, Settings settings) throws ArenaException {
    this(() -> bot, true, isFunction(bot) ? USUAL_CONCURRENCY : 1, settings, Console::stderr);
  }

  /**
   * A client that makes a bot for every match; bots of different matches think at the same time.
   */
  public Client(Supplier<? extends Bot> bots, Settings settings) throws ArenaException {
    this(bots, false, USUAL_CONCURRENCY, settings, Console::stderr);
  }

  Client(
      Supplier<? extends Bot> bots,
      boolean shared,
      int usual,
      Settings settings,
      Consumer<String> out)
      throws ArenaException {
    this.settings = settings;
    this.concurrency = settings.concurrency() == 0 ? usual : settings.concurrency();
    this.console = new Console(out, settings.quiet());
    this.conversation =
        new Conversation(
            bots, shared ? 1 : concurrency, settings, console, end::completeExceptionally);
  }

  /**
   * A lambda or a method reference, which has no memory to mix up: Java hides the classes it makes
   * of them.
   */
  private static boolean isFunction(Bot bot) {
    return bot.getClass().isHidden();
  }

  /**
   * Plays until told to leave; reconnects by itself. To be called once.
   *
   * @throws ArenaException what cannot be mended by waiting
   */
  public void play() throws ArenaException, InterruptedException {
    try {
      keepConnected();
      conversation.finish();
    } finally {
      conversation.close();
    }
  }

  /** Takes no new matches, and stops when the running ones have ended. */
  public void leave() {
    conversation.leave();
  }

  /** Whether it takes no new matches any more. */
  public boolean leaving() {
    return conversation.leaving();
  }

  /** How many matches are running. */
  public int playing() {
    return conversation.playing();
  }

  /** Matches that were resigned because of an error in the bot. */
  public int errors() {
    return conversation.errors();
  }

  /** How the matches of this client ended, oldest first (the last thousand). */
  public List<Result> results() {
    return conversation.results();
  }

  /** Stops at once; what {@link #play} still does is to say how the matches went. */
  void stop() {
    conversation.leave();
    end.complete(Status.OK);
  }

  private void keepConnected() throws ArenaException, InterruptedException {
    var patience = settings.firstPatience();
    var lostAt =
        0L; // set at the first failure: a slow start of the machine is no fault of the server
    var pause = FIRST_PAUSE;
    var turn = 0; // which of the addresses is tried
    while (true) {
      var before = conversation.welcomes();
      var addresses = conversation.addresses();
      var where = addresses.get(turn % addresses.size());
      var status = oneStream(where);
      if (conversation.leaving() && (status.isOk() || conversation.playing() == 0)) {
        return;
      }
      var worked = conversation.welcomes() != before;
      var reason = reason(status, where, worked);
      if (worked) { // it had worked: patience starts anew
        patience = settings.patience();
        pause = FIRST_PAUSE;
        lostAt = System.nanoTime();
        turn = 0;
      } else { // it does not answer: another address may
        lostAt = lostAt == 0 ? System.nanoTime() : lostAt;
        turn++;
      }
      var left = patience.minusNanos(System.nanoTime() - lostAt);
      if (left.compareTo(FIRST_PAUSE) < 0) {
        throw new ArenaException(
            ArenaException.GONE, reason + "; gave up after " + seconds(patience) + " seconds");
      }
      pause = pause.compareTo(left) < 0 ? pause : left;
      console.warn(
          String.format(
              Locale.ROOT, "%s; trying again in %.1f s", reason, pause.toMillis() / 1000.0));
      // Not all bots at once, after a server came back.
      var shortened = pause.toMillis() * ThreadLocalRandom.current().nextDouble(0.7, 1.0);
      first(
          new CompletableFuture<Status>()
              .completeOnTimeout(null, (long) Math.ceil(shortened), TimeUnit.MILLISECONDS));
      if (end.isDone()) {
        return;
      }
      pause =
          pause.compareTo(LONGEST_PAUSE.dividedBy(2)) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
    }
  }

  /** Waits for this, or for what ends the client. */
  private Status first(CompletableFuture<Status> other)
      throws ArenaException, InterruptedException {
    try {
      return (Status) CompletableFuture.anyOf(end, other).get();
    } catch (ExecutionException error) {
      throw (ArenaException) error.getCause();
    }
  }

  /** One connection from its beginning to its end. */
  private Status oneStream(String where) throws ArenaException, InterruptedException {
    var lost = new CompletableFuture<Status>();
    try (var connection = new Connection(where, settings)) {
      conversation.begin(() -> connection.open(new Responses(lost, where)), hello());
      return first(lost);
    } finally {
      conversation.lost();
    }
  }

  private String reason(Status status, String where, boolean worked) throws ArenaException {
    if (status.isOk()) {
      return where + " ended the stream";
    }
    var first = conversation.session().isEmpty();
    var meaning = Meaning.of(status, where, !settings.token().isEmpty(), settings.tls(), first);
    // A further address may be wrong, while the one that was given will be there again.
    var further = !worked && !where.equals(settings.server());
    if (meaning.code() != ArenaException.GONE && !further) {
      throw meaning;
    }
    return meaning.getMessage();
  }

  private PlayRequest hello() {
    var hello =
        Hello.newBuilder()
            .setProtocolVersion(Conversation.PROTOCOL_VERSION)
            .setName(settings.name())
            .addAllGames(settings.games())
            .setConcurrency(concurrency)
            .setWithoutLegal(settings.withoutLegal())
            .setClient("arena-java " + Arena.VERSION)
            .setResume(conversation.session())
            .setGivesNonces(true);
    return PlayRequest.newBuilder().addBodies(BotBody.newBuilder().setHello(hello)).build();
  }

  /** 15, or 0.5: without zeros that say nothing. */
  private static String seconds(Duration time) {
    return BigDecimal.valueOf(time.toMillis(), 3).stripTrailingZeros().toPlainString();
  }

  /** What comes over one stream. */
  private final class Responses implements StreamObserver<PlayResponse> {
    private final CompletableFuture<Status> lost;
    private final String where;

    Responses(CompletableFuture<Status> lost, String where) {
      this.lost = lost;
      this.where = where;
    }

    @Override
    public void onNext(PlayResponse message) {
      if (!end.isDone()) {
        conversation.heard(message, where);
      }
    }

    @Override
    public void onError(Throwable error) {
      lost.complete(Status.fromThrowable(error));
    }

    @Override
    public void onCompleted() {
      lost.complete(Status.OK);
    }
  }
}
