import java.util.SplittableRandom;

/**
 * An auction with open hands, and how it ends if everybody leads as cheaply as he can. Cards are 2,
 * 3, 4, and 1 for a +1.
 */
final class Auction {
  private static final int TOKENS_TO_WIN = 6;

  /**
   * By seat: blue tokens, the value of the bid (0: none), what lies there, and the points of the
   * cards laid from the hand.
   */
  final int[] tokens;

  final int[] value;
  final int[] total;
  final int[] spent;
  private final int[][] hands;

  /** Before anybody laid a card. */
  Auction(int[] tokens) {
    this.tokens = tokens;
    this.value = new int[tokens.length];
    this.total = new int[tokens.length];
    this.spent = new int[tokens.length];
    this.hands = null;
  }

  /** The same with these hands. */
  Auction(Auction now, int[][] hands) {
    this.tokens = now.tokens;
    this.value = now.value.clone();
    this.total = now.total.clone();
    this.spent = new int[tokens.length];
    this.hands = new int[hands.length][];
    for (int seat = 0; seat < hands.length; seat++) {
      this.hands[seat] = hands[seat].clone();
    }
  }

  /** One card after the other on somebody's bid, which begins with the first of a value. */
  void lay(int seat, int owner, int[] cards) {
    for (int card = 1; card <= 4; card++) {
      hands[seat][card] -= cards[card];
      total[owner] += card * cards[card];
      spent[seat] += card * cards[card];
      if (card > 1 && cards[card] > 0) {
        value[owner] = card;
      }
    }
  }

  /**
   * Window after window, until nobody plays. A window in which several play belongs to one of them.
   */
  void playOut(SplittableRandom dice, int absent) {
    while (true) {
      int actors = 0;
      int actor = -1;
      Play chosen = null;
      for (int seat = 0; seat < tokens.length; seat++) {
        var play = seat == absent ? null : play(seat);
        if (play != null && dice.nextInt(++actors) == 0) {
          actor = seat;
          chosen = play;
        }
      }
      if (chosen == null) {
        return;
      }
      lay(actor, chosen.owner, chosen.cards);
    }
  }

  /** The only highest bidder; -1 if there are several. */
  int leader() {
    int leader = -1;
    int highest = 0;
    for (int seat = 0; seat < total.length; seat++) {
      if (total[seat] > highest) {
        highest = total[seat];
        leader = seat;
      } else if (total[seat] == highest) {
        leader = -1;
      }
    }
    return leader;
  }

  /**
   * The most that a hand comes to with one value and its +1s; nothing without a value, for +1s
   * alone are no bid.
   */
  static int best(int[] hand) {
    int most = Math.max(2 * hand[2], Math.max(3 * hand[3], 4 * hand[4]));
    return most == 0 ? 0 : most + hand[1];
  }

  int best(int seat) {
    return best(hands[seat]);
  }

  int bids() {
    int bids = 0;
    for (int one : value) {
      bids += one > 0 ? 1 : 0;
    }
    return bids;
  }

  private record Play(int owner, int[] cards, int points) {}

  /** What a player does: takes the lead if he can, else stops one who would win the match. */
  private Play play(int seat) {
    int rival = 0;
    int highest = 0;
    for (int other = 0; other < total.length; other++) {
      highest = Math.max(highest, total[other]);
      rival = other == seat ? rival : Math.max(rival, total[other]);
    }
    if (total[seat] > rival) {
      return null;
    }
    var lead = cheapest(seat, seat, rival + 1);
    int leader = lead == null ? leader() : -1;
    if (leader < 0 || tokens[leader] + bids() < TOKENS_TO_WIN) {
      return lead;
    }
    Play spoil = null;
    for (int owner = 0; owner < total.length; owner++) {
      if (owner != leader && (owner == seat || value[owner] > 0)) {
        var level = cheapest(seat, owner, highest);
        spoil = level != null && (spoil == null || level.points < spoil.points) ? level : spoil;
      }
    }
    return spoil;
  }

  /** The fewest points from a player's hand that bring a bid to a goal; null if it cannot be. */
  private Play cheapest(int seat, int owner, int goal) {
    int[] hand = hands[seat];
    int fewest = Integer.MAX_VALUE;
    int kind = 0;
    int many = 0;
    for (int card = 2; card <= 4; card++) {
      if (value[owner] != 0 && value[owner] != card) {
        continue;
      }
      for (int count = value[owner] == 0 ? 1 : 0; count <= hand[card]; count++) {
        int plus = Math.max(0, goal - total[owner] - card * count);
        int points = card * count + plus;
        if (plus <= hand[1] && points > 0 && points < fewest) {
          fewest = points;
          kind = card;
          many = count;
        }
      }
    }
    if (kind == 0) {
      return null;
    }
    var cards = new int[5];
    cards[kind] = many;
    cards[1] = fewest - kind * many;
    return new Play(owner, cards, fewest);
  }
}
