package arena;

/** A view that this SDK cannot read; the text says what to do instead. */
public final class UnknownViewException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnknownViewException(String text) {
    super(text);
  }
}
