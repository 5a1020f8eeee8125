package arena;

import arena.v1.Rejected;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Locale;

/** What the author of a bot reads about its matches. The same sentences as in every other SDK. */
final class Sentences {
  private static final int MOST_SHOWN = 12;

  private Sentences() {}

  /** How a match ended. */
  static String ended(Result result) {
    var match = result.match();
    var others = String.join(", ", match.others());
    var how = result.termination();
    var why = result.text();
    return "%s %s: rank %d of %d, score %d"
            .formatted(
                match.game(), match.id(), result.rank(), result.ranks().size(), result.score())
        + (others.isEmpty() ? "" : " against " + others)
        + (why.isEmpty() ? "" : " (" + (why.startsWith(how) ? why : how + ": " + why) + ")");
  }

  /** A move was refused; {@code question} is null if it is not the one before the bot. */
  static String refused(Rejected rejected, Decision question) {
    var text =
        new StringBuilder(
            "match %s, decision %d: '%s' was refused: %s."
                .formatted(
                    rejected.getMatchId(),
                    rejected.getDecision(),
                    rejected.getMoveText(),
                    rejected.getMessage()));
    if (question != null && !question.legal().isEmpty()) {
      var legal = question.legal();
      text.append(question.complete() ? " Legal were: " : " Legal would have been, among others: ")
          .append(String.join(" | ", legal.subList(0, Math.min(MOST_SHOWN, legal.size()))))
          .append(legal.size() > MOST_SHOWN ? " | …." : ".");
    }
    if (rejected.hasStrikesLeft()) {
      text.append(" Strikes left: ").append(rejected.getStrikesLeft()).append('.');
    }
    return text.toString();
  }

  /** An answer came later than its budget. */
  static String slow(Decision decision, Duration took) {
    return String.format(
        Locale.ROOT,
        "decision %d of match %s took %.1f s, its budget was %.1f s; the rest came from the bank",
        decision.number(),
        decision.match(),
        took.toMillis() / 1000.0,
        decision.budget().toMillis() / 1000.0);
  }

  /** An error with all its lines. */
  static String trace(Throwable error) {
    var lines = new StringWriter();
    error.printStackTrace(new PrintWriter(lines));
    return lines.toString();
  }

  /** An error in one line. */
  static String line(Throwable error) {
    return error.toString().lines().findFirst().orElse(error.getClass().getName());
  }

  /** How the matches of a bot went, in sum. */
  static final class Tally {
    private int matches;
    private int ranks;
    private int first;

    void add(int rank) {
      matches++;
      ranks += rank;
      first += rank == 1 ? 1 : 0;
    }

    boolean isEmpty() {
      return matches == 0;
    }

    String sum(int errors) {
      return String.format(
          Locale.ROOT,
          "%d matches: mean rank %.2f, %d first, %d resigned by errors",
          matches,
          (double) ranks / matches,
          first,
          errors);
    }
  }
}
