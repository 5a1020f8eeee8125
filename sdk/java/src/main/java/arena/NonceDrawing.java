package arena;

import arena.v1.Nonce;
import arena.v1.NonceStep;
import arena.v1.Nonces;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * This bot's part in the drawing of a tournament's deals, so that the host alone cannot choose
 * them. It outlives a lost connection.
 */
final class NonceDrawing {
  private static final int NONCE_BYTES = 32;

  private final Map<Key, Drawn> drawn = new HashMap<>();

  private record Key(String tournament, int draw) {
    static Key of(Nonces call) {
      return new Key(call.getTournament(), call.getDraw());
    }
  }

  private static final class Drawn {
    final byte[] nonce = new byte[NONCE_BYTES];

    /** Names and commitments as they were when the nonce was told. */
    List<String> shown;

    Drawn() {
      new SecureRandom().nextBytes(nonce);
    }

    String hex() {
      return HexFormat.of().formatHex(nonce);
    }
  }

  /** What to say to a call; null if there is nothing to say. */
  Nonce answer(Nonces call) {
    var said = Nonce.newBuilder().setTournament(call.getTournament()).setDraw(call.getDraw());
    if (call.getStep() == NonceStep.NONCE_STEP_COMMIT) {
      var mine = drawn.computeIfAbsent(Key.of(call), key -> new Drawn());
      return said.setCommitment(commitment(call, mine.nonce)).build();
    }
    var mine = drawn.get(Key.of(call));
    if (call.getStep() != NonceStep.NONCE_STEP_REVEAL || mine == null) {
      return null;
    }
    var promise = commitment(call, mine.nonce);
    var shown = shown(call);
    var listed =
        call.getEntrantsList().stream()
            .anyMatch(entrant -> entrant.getCommitment().equals(promise));
    // Told once: to a second list of commitments, which might have been made for this nonce,
    // nothing is said.
    if (!listed || mine.shown != null && !mine.shown.equals(shown)) {
      return null;
    }
    mine.shown = shown;
    return said.setNonce(mine.hex()).build();
  }

  /**
   * Whether what was fixed lacks this bot's nonce, or has other commitments than those to which it
   * was told.
   */
  boolean broken(Nonces call) {
    var mine = drawn.get(Key.of(call));
    if (call.getStep() != NonceStep.NONCE_STEP_FIXED || mine == null) {
      return false;
    }
    return !shown(call).equals(mine.shown)
        || call.getEntrantsList().stream()
            .noneMatch(entrant -> entrant.getNonce().equals(mine.hex()));
  }

  private static List<String> shown(Nonces call) {
    return call.getEntrantsList().stream()
        .map(entrant -> entrant.getCommitment() + " " + entrant.getName())
        .toList();
  }

  /**
   * SHA-256 (hex) over a label, the tournament, the draw and the nonce, each behind its length in
   * four bytes.
   */
  private static String commitment(Nonces call, byte[] nonce) {
    MessageDigest sum;
    try {
      sum = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException error) {
      throw new AssertionError("every Java has SHA-256", error);
    }
    for (var part :
        List.of(
            "referee nonce".getBytes(StandardCharsets.UTF_8),
            call.getTournament().getBytes(StandardCharsets.UTF_8),
            Integer.toUnsignedString(call.getDraw()).getBytes(StandardCharsets.UTF_8),
            nonce)) {
      sum.update(ByteBuffer.allocate(4).putInt(part.length).array());
      sum.update(part);
    }
    return HexFormat.of().formatHex(sum.digest());
  }
}
