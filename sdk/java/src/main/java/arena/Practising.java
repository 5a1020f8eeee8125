package arena;

import arena.v1.Practice;

/** A wish for practice matches, and how much of it is still to come. */
final class Practising {
  private final Settings.Practice wish;

  /** Practice matches that have ended, or were lost with a connection. */
  private int played;

  /** {@code wish} is null if there is none. */
  Practising(Settings.Practice wish) {
    this.wish = wish;
  }

  boolean wanted() {
    return wish != null;
  }

  /** A match is over or gone; one of a tournament does not count. */
  void over(boolean practice) {
    played += practice ? 1 : 0;
  }

  boolean done() {
    return wanted() && played >= wish.matches();
  }

  /** How many matches to ask for while so many are running. */
  int missing(int running) {
    return wish.matches() - played - running;
  }

  /** What to ask the server for. */
  Practice ask(int matches) {
    return Practice.newBuilder()
        .setGame(wish.game())
        .addAllAgainst(wish.against())
        .setMatches(matches)
        .setOptionsJson(wish.options())
        .build();
  }

  /** What to add to a refusal: without others at the table there is no match. */
  String hint() {
    return wanted() && wish.against().isEmpty() ? " (name the others with --against BOT,BOT)" : "";
  }
}
