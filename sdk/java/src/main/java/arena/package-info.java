/**
 * Write a bot in a few lines and let it play on a Referee server.
 *
 * <pre>{@code
 * public class First {
 *   public static void main(String[] args) {
 *     arena.Arena.run(decision -> decision.legal().get(0), args);
 *   }
 * }
 * }</pre>
 */
package arena;
