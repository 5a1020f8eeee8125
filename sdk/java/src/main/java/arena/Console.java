package arena;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Where the author of a bot is told things: stderr, in UTF-8 whatever the locale. */
final class Console {
  private static final PrintStream STDERR =
      new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);

  private final Consumer<String> out;
  private final boolean quiet;

  Console(Consumer<String> out, boolean quiet) {
    this.out = out;
    this.quiet = quiet;
  }

  static void stderr(String text) {
    STDERR.println(text);
  }

  /** How things go; not with {@code --quiet}. */
  void say(String text) {
    if (!quiet) {
      out.accept(text);
    }
  }

  /** What the author should know in any case. */
  void warn(String text) {
    out.accept(text);
  }
}
