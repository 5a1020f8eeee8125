package arena;

import arena.v1.MatchEnd;
import arena.v1.Termination;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Locale;

/**
 * How a match ended; lists are by seat.
 *
 * @param match what was known from the start
 * @param ranks 1 for the winner; equal ranks are ties
 * @param scores points as the game counts them
 * @param terminations how each seat came to the end, in words such as {@code finished} and {@code
 *     timeout}
 * @param texts a sentence where a seat did not finish, else empty
 * @param reason the game's word for how the match ended
 * @param seed with it anybody can replay the match
 * @param viewBytes this seat's final view as it came over the wire; empty if the match was broken
 *     off
 */
public record Result(
    Match match,
    List<Integer> ranks,
    List<Integer> scores,
    List<String> terminations,
    List<String> texts,
    String reason,
    String seed,
    ByteString viewBytes) {

  /** From the protocol's message. */
  static Result of(Match match, MatchEnd end) {
    var told = end.getResult();
    return new Result(
        match,
        List.copyOf(told.getRanksList()),
        List.copyOf(told.getScoresList()),
        told.getTerminationsList().stream().map(Result::word).toList(),
        List.copyOf(told.getTextsList()),
        told.getReason(),
        end.getSeed(),
        end.getView());
  }

  /** This bot's rank; 0 if the referee told none. */
  public int rank() {
    return at(ranks, 0);
  }

  /** This bot's score. */
  public int score() {
    return at(scores, 0);
  }

  /** How this bot came to the end, in a word. */
  public String termination() {
    return at(terminations, word(Termination.TERMINATION_UNSPECIFIED));
  }

  /** The sentence about this bot; empty if it finished. */
  public String text() {
    return at(texts, "");
  }

  /**
   * This seat's final view, as {@link Decision#view()} gives it; null if the match was broken off.
   */
  public Object view() {
    return viewBytes.isEmpty() ? null : Views.read(match.viewType(), viewBytes);
  }

  private <T> T at(List<T> bySeat, T otherwise) {
    return match.seat() < bySeat.size() ? bySeat.get(match.seat()) : otherwise;
  }

  /** The word for a termination; one that this version does not know is {@code unspecified}. */
  private static String word(Termination termination) {
    var known =
        termination == Termination.UNRECOGNIZED ? Termination.TERMINATION_UNSPECIFIED : termination;
    return known.name().substring("TERMINATION_".length()).toLowerCase(Locale.ROOT);
  }
}
