package arena;

import java.util.List;
import java.util.function.Supplier;
import sun.misc.Signal;

/**
 * From a {@link Bot} to a program that plays: {@code Arena.run(decision -> decision.legal().get(0),
 * args)}.
 */
public final class Arena {
  /** The version of this package. */
  public static final String VERSION = "0.1.0";

  private static final int INTERRUPTED = 130;

  private Arena() {}

  /**
   * Connects, plays until there is nothing more to play, and ends the program.
   *
   * <p>This one bot plays all matches. It is asked by one thread at a time, and takes one match at
   * once unless it is a lambda, which has no memory to mix up.
   *
   * @param arguments the flags of the command line; {@code --help} tells all
   */
  public static void run(Bot bot, String... arguments) {
    System.exit(launch(settings -> new Client(bot, settings), arguments));
  }

  /**
   * The same with a bot of its own for every match: {@code Arena.run(MyBot::new, args)}. Bots of
   * different matches think at the same time, each of them on one thread at a time.
   */
  public static void run(Supplier<? extends Bot> bots, String... arguments) {
    System.exit(launch(settings -> new Client(bots, settings), arguments));
  }

  private interface Maker {
    Client make(Settings settings) throws ArenaException;
  }

  private static int launch(Maker maker, String... arguments) {
    try {
      var settings = Flags.read(List.of(arguments), System.getenv());
      if (settings.isEmpty()) {
        System.out.print(Flags.help());
        return 0;
      }
      var client = maker.make(settings.get());
      onSignal(client);
      client.play();
      return client.errors() > 0 ? ArenaException.BOT_FAILED : 0;
    } catch (Flags.WrongUse error) {
      Console.stderr(error.text());
      return ArenaException.REFUSED;
    } catch (ArenaException error) {
      Console.stderr("error: " + error.getMessage());
      return error.code();
    } catch (InterruptedException error) {
      return INTERRUPTED;
    }
  }

  /**
   * First time: the running matches are played to their end. Second time, or without a match: at
   * once.
   */
  private static void onSignal(Client client) {
    for (var name : List.of("INT", "TERM")) {
      Signal.handle(
          new Signal(name),
          signal -> {
            if (client.leaving()) {
              Runtime.getRuntime().halt(INTERRUPTED);
            } else if (client.playing() == 0) {
              client.stop();
            } else {
              Console.stderr("leaving after the running matches; once more to leave at once");
              client.leave();
            }
          });
    }
  }
}
