package arena;

import arena.v1.MatchStart;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What stays the same through a match.
 *
 * @param id the name of the match, such as {@code practice/17}
 * @param game the name of the game, such as {@code flip7}
 * @param seat this bot's seat, from 0
 * @param names who sits where, this bot included
 * @param options every option of the game with its value
 * @param limit free time for every decision
 * @param bank time for the whole match that is used up beyond the limit
 * @param tournament the tournament it belongs to; empty for practice
 * @param gameVersion the version of the game's rules
 * @param viewType what the views hold: the full name of a message, or {@code json}
 * @param seedCommitment SHA-256 (hex) of the seed that the result reveals
 * @param noncesDigest SHA-256 (hex) over the entrants' nonces that went into the seed; empty: none
 */
public record Match(
    String id,
    String game,
    int seat,
    List<String> names,
    Map<String, Object> options,
    Duration limit,
    Duration bank,
    String tournament,
    int gameVersion,
    String viewType,
    String seedCommitment,
    String noncesDigest) {

  /** From the protocol's message. */
  static Match of(MatchStart start) {
    return new Match(
        start.getMatchId(),
        start.getGame(),
        start.getSeat(),
        List.copyOf(start.getNamesList()),
        Views.options(start.getOptionsJson()),
        Duration.ofMillis(start.getTimeControl().getLimitMs()),
        Duration.ofMillis(start.getTimeControl().getBankMs()),
        start.getTournament(),
        start.getGameVersion(),
        start.getViewType(),
        start.getSeedCommitment(),
        start.getNoncesDigest());
  }

  /** The names of the other seats, in their order. */
  List<String> others() {
    return IntStream.range(0, names.size())
        .filter(place -> place != seat)
        .mapToObj(names::get)
        .toList();
  }
}
