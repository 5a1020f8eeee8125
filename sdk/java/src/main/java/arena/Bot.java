package arena;

/**
 * What plays: one question in, one move out. A lambda will do.
 *
 * <p>{@link #start} and {@link #end} are there for bots that keep something for the length of a
 * match. Whatever any of the three throws is shown with its trace; thrown by {@code decide} or
 * {@code start}, it resigns that match, and the others go on.
 */
@FunctionalInterface
public interface Bot {
  /**
   * Answers a question with a move: one of {@link Decision#legal}, or another legal one where that
   * list is not complete.
   */
  String decide(Decision decision) throws Exception;

  /** Hears that a match begins, before its first question. */
  default void start(Match match) throws Exception {}

  /** Hears how a match ended. */
  default void end(Result result) throws Exception {}
}
