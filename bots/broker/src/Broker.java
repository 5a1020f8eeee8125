import arena.Arena;
import arena.Bot;
import arena.Decision;
import arena.games.stop.v1.Bid;
import arena.games.stop.v1.View;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Broker plays STOP! by imagining how the auction goes on.
 *
 * <p>It is public which cards everybody owns and how many of them he holds, but not which. So
 * Broker deals the others eighty hands that they may have, and for every play it could make it lets
 * the auction run to its end with each of them: all players take the lead as cheaply as they can,
 * and a player about to win the match is drawn level with. What an end is worth is the share in the
 * match that it leaves: tokens count, and the cards in the decks, which win the auctions to come,
 * count more than one would think. The play with the best average is made; a call is worth it if
 * the auction that follows is better than things as they are.
 *
 * <p>Its dice come from a hash of what it sees, so the same question gets the same answer.
 */
public final class Broker implements Bot {
  private static final int DEALS = 80;

  /**
   * What calling must bring beyond things as they are: whoever waits lets the others choose the
   * moment.
   */
  private static final double CALL = -0.05;

  /** A hand that comes to less is not even thought about. */
  private static final int LEAST = 6;

  /**
   * A hand with which most players call, and how often a hand is drawn anew that does not fit to
   * what they did.
   */
  private static final int STRONG = 8;

  private static final int TRIES = 6;

  /** What the best bid of a hand counts beside the points in all cards of a player. */
  private static final double HAND = 1.5;

  /**
   * By how much a token more raises the chance to win, and how steeply the chance grows with the
   * cards. Found by trying: whoever pays with cards for every token he can get runs out of them.
   */
  private static final double TOKEN = 1.25;

  private static final double CARDS = 2.5;

  private static final int TOKENS_TO_WIN = 6;

  public static void main(String[] args) {
    Arena.run(Broker::new, args);
  }

  @Override
  public String decide(Decision decision) {
    var table = new Table(decision.view(View.class), decision.viewBytes().hashCode());
    return switch (decision.view(View.class).getQuestion()) {
      case QUESTION_CALL -> table.call() ? "stop" : "wait";
      case QUESTION_OPENING, QUESTION_PLAY -> table.best(decision.legal());
      default -> decision.legal().get(0); // the split: keep everything
    };
  }

  /** What this seat knows, and eighty ways to fill in what it does not. */
  private static final class Table {
    private final View view;
    private final int seat;
    private final Auction now;
    private final List<int[][]> deals = new ArrayList<>();

    /** By seat: the cards that each player has laid in this auction. */
    private final int[][] laid;

    Table(View view, long seed) {
      this.view = view;
      this.seat = view.getSeat();
      this.now = new Auction(view.getScoresList().stream().mapToInt(Integer::intValue).toArray());
      this.laid = new int[now.tokens.length][5];
      for (Bid bid : view.getBidsList()) {
        now.value[bid.getSeat()] = bid.getValue();
        now.total[bid.getSeat()] = bid.getTotal();
        for (int place = 0; place < bid.getCardsCount(); place++) {
          laid[bid.getLaidBy(place)][bid.getCards(place)]++;
        }
      }
      var dice = new SplittableRandom(seed);
      for (int deal = 0; deal < DEALS; deal++) {
        deals.add(deal(dice));
      }
    }

    /**
     * Whether an auction opened with one card of the strongest value promises more than things as
     * they are.
     */
    boolean call() {
      var hand = deals.get(0)[seat];
      int value = 2;
      for (int other = 3; other <= 4; other++) {
        value = other * hand[other] > value * hand[value] ? other : value;
      }
      return value * hand[value] + hand[1] >= LEAST && worth("bid " + value) > asThingsAre() + CALL;
    }

    private double asThingsAre() {
      double sum = 0;
      for (var deal : deals) {
        sum += share(now.tokens, owned(), new Auction(now, deal));
      }
      return sum / DEALS;
    }

    /**
     * The move with the best average, the first of equals. Thought about are a pass, the cheapest
     * way to lead with each value, and the cheapest way to draw another bid level with the
     * leader's: what is laid beyond that is given away.
     */
    String best(List<String> legal) {
      if (now.leader() == seat) {
        return "pass";
      }
      var cheapest = new LinkedHashMap<String, String>();
      for (var move : legal) {
        if (useful(move)) {
          cheapest.merge(
              kind(move), move, (one, other) -> points(other) < points(one) ? other : one);
        }
      }
      var best = legal.get(0);
      var most = Double.NEGATIVE_INFINITY;
      for (var move : cheapest.values()) {
        var worth = worth(move);
        if (worth > most) {
          most = worth;
          best = move;
        }
      }
      return best;
    }

    /**
     * Whether a play of the own cards on the own bid makes it the only highest; all others are
     * thought about in any case.
     */
    private boolean useful(String move) {
      boolean own = move.startsWith("bid") || move.startsWith("raise " + seat + " ");
      return !own || now.total[seat] + points(move) > view.getHighest();
    }

    /**
     * What is left of the match on average after this move. Who passes is taken to keep out from
     * then on: a pass that counts on playing later would put it off until the auction is over.
     */
    private double worth(String move) {
      double sum = 0;
      for (int deal = 0; deal < DEALS; deal++) {
        sum += end(move, deal, move.equals("pass"));
      }
      return sum / DEALS;
    }

    private double end(String move, int deal, boolean keepOut) {
      var auction = new Auction(now, deals.get(deal));
      var owned = owned();
      play(auction, move);
      auction.playOut(new SplittableRandom(deal), keepOut ? seat : -1);
      int winner = auction.leader();
      var tokens = auction.tokens.clone();
      if (winner >= 0) {
        tokens[winner] += auction.bids();
        if (tokens[winner] >= TOKENS_TO_WIN) {
          return winner == seat ? 1 : 0;
        }
      }
      for (int player = 0; player < owned.length; player++) {
        owned[player] -= auction.spent[player];
        owned[winner >= 0 ? winner : player] += auction.total[player];
      }
      return share(tokens, owned, auction);
    }

    /**
     * The own part of all chances to win: by tokens, points in cards, and what the hands are good
     * for.
     */
    private double share(int[] tokens, double[] owned, Auction after) {
      double all = 0;
      double mine = 0;
      for (int player = 0; player < tokens.length; player++) {
        if (!view.getEliminatedList().contains(player)) {
          var chance =
              Math.pow(TOKEN, tokens[player])
                  * Math.pow(Math.max(1, owned[player]) + HAND * after.best(player), CARDS);
          all += chance;
          mine = player == seat ? chance : mine;
        }
      }
      return mine / all;
    }

    /** The points in everybody's cards, those on the table left out. */
    private double[] owned() {
      var owned = new double[now.tokens.length];
      for (int player = 0; player < owned.length; player++) {
        var cards = cards(player);
        owned[player] = cards[1] + 2 * cards[2] + 3 * cards[3] + 4 * cards[4];
      }
      return owned;
    }

    /** How many of each card a player owns: 2, 3, 4, and 1 for a +1. */
    private int[] cards(int player) {
      return new int[] {
        0,
        view.getPlusOnes(player),
        view.getTwos(player),
        view.getThrees(player),
        view.getFours(player)
      };
    }

    /** Hands as they may be: the own one, and likely ones of the others. */
    private int[][] deal(SplittableRandom dice) {
      var hands = new int[now.tokens.length][];
      for (int player = 0; player < hands.length; player++) {
        hands[player] = player == seat ? own() : draw(player, dice);
        for (int more = 0;
            player != seat && more < TRIES && !likely(player, hands[player]);
            more++) {
          hands[player] = draw(player, dice);
        }
      }
      return hands;
    }

    private int[] own() {
      var hand = new int[5];
      for (int card : view.getHandList()) {
        hand[card]++;
      }
      return hand;
    }

    /** As many cards as a player holds, drawn from what he owns. */
    private int[] draw(int player, SplittableRandom dice) {
      var hand = new int[5];
      var owned = cards(player);
      int left = owned[1] + owned[2] + owned[3] + owned[4];
      for (int drawn = 0; drawn < view.getHandSizes(player) && left > 0; drawn++, left--) {
        int place = dice.nextInt(left);
        int card = 1;
        for (; place >= owned[card]; card++) {
          place -= owned[card];
        }
        owned[card]--;
        hand[card]++;
      }
      return hand;
    }

    /**
     * Who called had a strong hand, who might have called and did not had none. The caller has the
     * red token.
     */
    private boolean likely(int player, int[] hand) {
      var before = hand.clone();
      for (int card = 1; card <= 4; card++) {
        before[card] += laid[player][card];
      }
      boolean strong = Auction.best(before) >= STRONG;
      boolean auction = view.getBidsCount() > 0;
      return player == view.getRed() ? !auction || strong : view.getOpeningRule() || !strong;
    }

    private void play(Auction auction, String move) {
      var words = move.split(" ");
      if (!words[0].equals("pass")) {
        boolean raise = words[0].equals("raise");
        auction.lay(seat, raise ? Integer.parseInt(words[1]) : seat, cards(words, raise ? 2 : 1));
      }
    }

    private static int[] cards(String[] words, int from) {
      var cards = new int[5];
      for (int word = from; word < words.length; word++) {
        cards[Integer.parseInt(words[word])]++; // "+1" reads as 1
      }
      return cards;
    }

    /** Moves that lay the same value in the same place. */
    private static String kind(String move) {
      var words = move.split(" ");
      return words.length > 1 ? words[0] + " " + words[1] : words[0];
    }

    private static int points(String move) {
      var words = move.split(" ");
      int points = 0;
      for (int word = words[0].equals("raise") ? 2 : 1; word < words.length; word++) {
        points += Integer.parseInt(words[word]);
      }
      return points;
    }
  }
}
