package arena;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Which flag was meant by a misspelt one: the only one that begins so, or the nearest by edit
 * distance. All SDKs measure alike: a letter changed, added, left out or swapped with the next one
 * counts 1; at most two may be wrong, and at most one in three of the letters typed.
 */
final class Spelling {
  private Spelling() {}

  /** The flag that was probably meant. */
  static Optional<String> meant(String word, List<String> flags) {
    var typed = word.replaceFirst("^-+", "").toLowerCase(Locale.ROOT);
    var begin = flags.stream().filter(flag -> !typed.isEmpty() && flag.startsWith("--" + typed));
    var only = begin.toList();
    if (only.size() == 1) {
      return Optional.of(only.get(0));
    }
    var nearest = Optional.<String>empty();
    var most = Math.min(2, (typed.length() + 2) / 3);
    for (var flag : flags) {
      var wrong = distance(typed, flag.substring(2));
      if (wrong <= most) {
        nearest = Optional.of(flag);
        most = wrong - 1;
      }
    }
    return nearest;
  }

  /** How many letters are changed, added, left out or swapped with the next one. */
  private static int distance(String one, String other) {
    var rows = new int[one.length() + 1][other.length() + 1];
    for (var i = 0; i <= one.length(); i++) {
      for (var j = 0; j <= other.length(); j++) {
        if (i == 0 || j == 0) {
          rows[i][j] = i + j;
          continue;
        }
        var changed = rows[i - 1][j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        rows[i][j] = Math.min(changed, Math.min(rows[i - 1][j], rows[i][j - 1]) + 1);
        if (i > 1
            && j > 1
            && one.charAt(i - 1) == other.charAt(j - 2)
            && one.charAt(i - 2) == other.charAt(j - 1)) {
          rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1);
        }
      }
    }
    return rows[one.length()][other.length()];
  }
}
