package arena;

import arena.Outbox.Batch;
import arena.v1.Act;
import arena.v1.BotBody;
import arena.v1.Resign;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;

/**
 * Everything that runs the author's code: starting, deciding, ending, and what becomes of an error
 * in it.
 */
final class Thinking {
  private static final int LONGEST_REASON = 200;

  private final Conversation talk;
  private final Supplier<? extends Bot> bots;
  private final ExecutorService threads;
  private int errors;

  /** Calls of {@code end} that have not returned. */
  private int ending;

  Thinking(Conversation talk, Supplier<? extends Bot> bots, ExecutorService threads) {
    this.talk = talk;
    this.bots = bots;
    this.threads = threads;
  }

  /** A seat at a new match, whose bot is made and told. */
  Seat start(Match match, Batch batch) {
    var seat = new Seat(match, threads);
    batch.opened();
    seat.then(
        () -> {
          try {
            var bot = bots.get();
            bot.start(match);
            seat.bot = bot;
          } catch (Throwable error) {
            var told = "the bot could not start match " + match.id() + "; resigning it.";
            resign(seat, error, Sentences.trace(error) + told, "error in start: ", "start");
          }
          close(batch);
        });
    return seat;
  }

  /** Puts a question before the bot; what it answers is sent with the batch. */
  void ask(Seat seat, Decision decision, Batch batch) {
    seat.question = decision;
    seat.reply = null;
    batch.opened();
    var came = System.nanoTime();
    seat.then(
        () -> {
          if (stillAsked(seat, decision)) {
            decide(seat, decision, came);
          }
          close(batch);
        });
  }

  /** Tells the bot how its match ended. */
  void end(Seat seat, Result result) {
    ending++;
    seat.then(
        () -> {
          try {
            if (seat.bot != null) {
              seat.bot.end(result);
            }
          } catch (Throwable error) {
            var told = "the bot's end() failed after match " + seat.match.id();
            talk.console().warn(Sentences.trace(error) + told);
          }
          synchronized (talk.lock()) {
            ending--;
            talk.lock().notifyAll();
          }
        });
  }

  /** Waits until every bot has heard how its match ended. */
  void finish() throws InterruptedException {
    synchronized (talk.lock()) {
      while (ending > 0) {
        talk.lock().wait();
      }
    }
  }

  void close() {
    threads.shutdownNow();
  }

  int errors() {
    synchronized (talk.lock()) {
      return errors;
    }
  }

  private boolean stillAsked(Seat seat, Decision decision) {
    synchronized (talk.lock()) {
      return talk.asks(seat, decision) && !seat.resigned;
    }
  }

  /** The referee's clock runs from the moment the question came, whatever the bot does first. */
  private void decide(Seat seat, Decision decision, long came) {
    var began = System.nanoTime();
    String move;
    try {
      move = checked(seat.bot.decide(decision), decision);
    } catch (Throwable error) {
      var told = decision + " went wrong in decide; resigning this match.";
      resign(seat, error, Sentences.trace(error) + told, "error in decide: ", "decide");
      return;
    }
    var took = Duration.ofNanos(System.nanoTime() - began);
    if (talk.recording() != null) {
      try {
        talk.recording().decided(decision, move, took);
      } catch (ArenaException error) {
        talk.fail(error);
      }
    }
    var act =
        Act.newBuilder()
            .setMatchId(decision.match())
            .setDecision(decision.number())
            .setMoveText(move);
    synchronized (talk.lock()) {
      if (talk.asks(seat, decision)) {
        reply(seat, BotBody.newBuilder().setAct(act).build());
      }
    }
    var spent = Duration.ofNanos(System.nanoTime() - came);
    if (!decision.budget().isZero() && spent.compareTo(decision.budget()) > 0) {
      talk.console().warn(Sentences.slow(decision, spent));
    }
  }

  /** A move is a text that a message can carry: no null, and no half of a character. */
  private static String checked(String move, Decision decision) {
    if (move == null || !StandardCharsets.UTF_8.newEncoder().canEncode(move)) {
      var example = decision.legal().isEmpty() ? "pass" : decision.legal().get(0);
      throw new IllegalArgumentException(
          "decide returned " + move + "; a move is a text such as '" + example + "'");
    }
    return move;
  }

  private void resign(Seat seat, Throwable error, String told, String reason, String where) {
    talk.console().warn(told);
    var line = Sentences.line(error);
    var why = reason + line;
    var resign =
        Resign.newBuilder()
            .setMatchId(seat.match.id())
            .setReason(why.substring(0, Math.min(why.length(), LONGEST_REASON)));
    synchronized (talk.lock()) {
      errors++;
      seat.resigned = true;
      reply(seat, BotBody.newBuilder().setResign(resign).build());
      if (talk.strict()) {
        talk.outbox().flush();
        talk.fail(
            new ArenaException(
                ArenaException.BOT_FAILED,
                "stopped at the first error in " + where + ", as --strict asks: " + line));
      }
    }
  }

  /** Says it now; or, if the stream broke meanwhile, when the question is repeated. */
  private void reply(Seat seat, BotBody body) {
    seat.reply = body;
    if (talk.hears(seat)) {
      talk.outbox().put(body);
    }
  }

  private void close(Batch batch) {
    synchronized (talk.lock()) {
      batch.closed();
    }
  }
}
