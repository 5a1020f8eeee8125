import arena.Arena;
import arena.Bot;
import arena.Decision;
import arena.Match;
import arena.Result;
import arena.UnknownViewException;
import arena.games.flip7.v1.View;
import java.util.List;
import java.util.Map;

/** The bot that the conformance kit tests this SDK with: it does what the first legal move says. */
public final class Conformbot implements Bot {
  private int asked;

  public static void main(String[] args) {
    Arena.run(Conformbot::new, args);
  }

  @Override
  public void start(Match match) {
    System.err.println(
        "conformbot: start "
            + match.id()
            + " seat "
            + match.seat()
            + " of "
            + String.join(",", match.names()));
    if (match.id().equals("no-start")) {
      throw new IllegalStateException("told to fail");
    }
  }

  @Override
  public String decide(Decision decision) throws InterruptedException {
    asked++;
    List<String> legal = decision.legal();
    String word = legal.isEmpty() ? "pass" : legal.get(0);
    if (word.equals("fail")) {
      throw new IllegalStateException("told to fail");
    } else if (word.startsWith("think:")) {
      Thread.sleep(Long.parseLong(word.substring("think:".length())));
      return legal.get(1);
    } else if (word.equals("count")) {
      return Integer.toString(asked);
    } else if (word.equals("view")) {
      return seen(decision);
    } else if (word.equals("not-text")) {
      return null; // the nearest that Java lets it
    }
    return decision.rejected().isEmpty() || legal.isEmpty() ? word : legal.get(legal.size() - 1);
  }

  @Override
  public void end(Result result) {
    System.err.println(
        "conformbot: end "
            + result.match().id()
            + " rank "
            + result.rank()
            + " "
            + result.termination());
    if (result.match().id().equals("no-end")) {
      throw new IllegalStateException("told to fail");
    }
  }

  private static String seen(Decision decision) {
    try {
      if (decision.view() instanceof View flip7) {
        return "round " + flip7.getRound();
      }
      return (String) decision.view(Map.class).get("answer");
    } catch (UnknownViewException error) {
      return "unreadable";
    }
  }
}
