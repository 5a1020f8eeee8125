package arena;

/** What ends a bot's program: a sentence for its author, and the exit code. */
public final class ArenaException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Exit codes: the bot itself failed, wrong use or refused, the world failed. */
  static final int BOT_FAILED = 1;

  static final int REFUSED = 2;
  static final int GONE = 3;

  private final int code;

  ArenaException(int code, String text) {
    super(text);
    this.code = code;
  }

  /**
   * The exit code: 1 an error in the bot, 2 wrong use or refused by the server, 3 the server or the
   * machine failed.
   */
  public int code() {
    return code;
  }
}
