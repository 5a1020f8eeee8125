package arena;

import arena.v1.Decide;
import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.List;

/** One question to a bot: what it sees, what it may do, how long it has. */
public final class Decision {
  private final Match info;
  private final Decide question;
  private final String rejected;
  private Object view;

  Decision(Match info, Decide question, String rejected) {
    this.info = info;
    this.question = question;
    this.rejected = rejected;
  }

  /**
   * All that this seat may know: the game's message ({@code arena.games.GAME.v1.View}), or for a
   * game that shows JSON a {@code Map<String, Object>}. It is read when first looked at.
   *
   * @throws UnknownViewException if this SDK cannot read it
   */
  public synchronized Object view() {
    if (view == null) {
      view = Views.read(info.viewType(), question.getView());
    }
    return view;
  }

  /**
   * The view as the type that the bot expects: {@code decision.view(View.class)}, or {@code
   * decision.view(Map.class)}.
   *
   * @throws UnknownViewException if it is of another type, or cannot be read
   */
  public <T> T view(Class<T> type) {
    var found = view();
    if (!type.isInstance(found)) {
      throw new UnknownViewException(
          "the view of %s is a %s, and no %s"
              .formatted(game(), found.getClass().getName(), type.getName()));
    }
    return type.cast(found);
  }

  /**
   * The view as it came over the wire: handy to hash, for a bot that wants repeatable dice of its
   * own.
   */
  public ByteString viewBytes() {
    return question.getView();
  }

  /** Moves in canonical order. */
  public List<String> legal() {
    return question.getLegalList();
  }

  /** Whether {@link #legal} holds all legal moves. */
  public boolean complete() {
    return question.getComplete();
  }

  /** This bot's seat, from 0. */
  public int seat() {
    return info.seat();
  }

  /** The id of the match. */
  public String match() {
    return info.id();
  }

  /** The name of the game. */
  public String game() {
    return info.game();
  }

  /** What stays the same through the match. */
  public Match info() {
    return info;
  }

  /** The number of this question in its match. */
  public int number() {
    return question.getDecision();
  }

  /** Free time for this decision. */
  public Duration budget() {
    return Duration.ofMillis(question.getBudgetMs());
  }

  /** What the match still holds beyond the budget. */
  public Duration bank() {
    return Duration.ofMillis(question.getBankMs());
  }

  /**
   * Whether the question was asked before: after a reconnect, a rejection, or because the server
   * was late.
   */
  public boolean again() {
    return question.getAgain();
  }

  /** Empty, or the referee's sentence about the move that was just tried: answer otherwise. */
  public String rejected() {
    return rejected;
  }

  /**
   * The same question after its answer was refused; with what the referee repeats of it, if it
   * does.
   */
  Decision rejected(String sentence, Decide repeated) {
    return new Decision(info, repeated == null ? question : repeated, sentence);
  }

  @Override
  public String toString() {
    return "decision " + number() + " of " + game() + " match " + match();
  }
}
