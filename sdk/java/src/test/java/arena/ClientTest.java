package arena;

import static arena.ScriptedServer.acts;
import static arena.ScriptedServer.ask;
import static arena.ScriptedServer.body;
import static arena.ScriptedServer.over;
import static arena.ScriptedServer.start;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import arena.v1.Notice;
import arena.v1.NoticeCode;
import arena.v1.Rejected;
import arena.v1.Welcome;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client on a real socket, with a server that follows a script. */
@Timeout(60)
class ClientTest {
  private final List<String> told = new CopyOnWriteArrayList<>();
  private ScriptedServer server;
  private Client client;
  private CompletableFuture<Void> playing;

  @BeforeEach
  void open() throws Exception {
    server = new ScriptedServer();
  }

  @AfterEach
  void close() {
    server.close();
  }

  private void play(Supplier<? extends Bot> bots, Settings settings) throws ArenaException {
    play(bots, false, settings);
  }

  private void play(Supplier<? extends Bot> bots, boolean shared, Settings settings)
      throws ArenaException {
    client = new Client(bots, shared, 16, settings, told::add);
    playing = new CompletableFuture<>();
    Threads.daemon(
            () -> {
              try {
                client.play();
                playing.complete(null);
              } catch (ArenaException | InterruptedException error) {
                playing.completeExceptionally(error);
              }
            },
            "test-client")
        .start();
  }

  private void play(Bot bot) throws ArenaException {
    play(() -> bot, Settings.at(server.address()).build());
  }

  private ArenaException failure() {
    var error =
        assertThrows(
            Exception.class, () -> playing.get(ScriptedServer.PATIENCE_SECONDS, TimeUnit.SECONDS));
    return (ArenaException) error.getCause();
  }

  private static String first(Decision decision) {
    return decision.rejected().isEmpty() ? decision.legal().get(0) : decision.legal().get(1);
  }

  @Test
  void allQuestionsOfAMessageAreAnsweredInOneMessage() throws Exception {
    // However slow the machine is, an answer waits for the others.
    var settings = Settings.at(server.address()).sendAfter(Duration.ofMinutes(1)).build();
    play(() -> ClientTest::first, settings);
    var stream = server.greet();
    stream.say(
        start("m/1"),
        start("m/2"),
        start("m/3"),
        ask("m/1", 1, "a"),
        ask("m/2", 1, "b"),
        ask("m/3", 1, "c"));
    assertEquals(
        List.of("a", "b", "c"),
        stream.hearBodies().stream().map(one -> one.getAct().getMoveText()).sorted().toList());
  }

  @Test
  void whatIsReadyDoesNotWaitForALongThought() throws Exception {
    var thought = new CountDownLatch(1);
    play(
        decision -> {
          if (decision.match().equals("slow")) {
            thought.await();
          }
          return first(decision);
        });
    var stream = server.greet();
    stream.say(start("slow"), start("quick"), ask("slow", 1, "at last"), ask("quick", 1, "now"));
    assertEquals("now", acts(stream.hearBodies()));
    thought.countDown();
    assertEquals("at last", acts(stream.hearBodies()));
  }

  @Test
  void anAnswerThatHadToWaitForAnotherIsLateToo() throws Exception {
    Bot bot =
        decision -> {
          Thread.sleep(decision.match().equals("m/1") ? 150 : 0);
          return first(decision);
        };
    play(() -> bot, true, Settings.at(server.address()).sendAfter(Duration.ofMinutes(1)).build());
    var stream = server.greet();
    var waits = ask("m/2", 4, "b");
    waits.getDecideBuilder().setBudgetMs(50);
    stream.say(start("m/1"), start("m/2"), ask("m/1", 1, "a"), waits);
    assertEquals("a b", acts(stream.hearBodies()));
    var sentence = told.get(told.size() - 1);
    assertTrue(sentence.startsWith("decision 4 of match m/2 took "), sentence);
    assertTrue(sentence.endsWith("its budget was 0.1 s; the rest came from the bank"), sentence);
  }

  @Test
  void anAnswerThatWasLostIsRepeatedWithoutAskingAgain() throws Exception {
    play(new Counter(), server);
    var stream = server.greet();
    stream.say(start("m/1"), ask("m/1", 5, "x"));
    assertEquals("1", acts(stream.hearBodies()));
    stream.end(Status.UNAVAILABLE.withDescription("away"));
    var again = server.greet(Welcome.newBuilder().setSession("session-2").addResumed("m/1"));
    assertEquals("session-1", again.hello.getResume());
    again.say(start("m/1"), ask("m/1", 5, "x"));
    assertEquals("1", acts(again.hearBodies()));
    again.say(ask("m/1", 6, "x"));
    assertEquals("2", acts(again.hearBodies()));
    assertTrue(
        told.contains("lost the connection to " + server.address() + "; trying again in 0.1 s"),
        told::toString);
  }

  private void play(Bot bot, ScriptedServer at) throws ArenaException {
    play(() -> bot, Settings.at(at.address()).build());
  }

  /** Answers how often it was asked. */
  private static final class Counter implements Bot {
    private int asked;

    @Override
    public String decide(Decision decision) {
      return Integer.toString(++asked);
    }
  }

  @Test
  void whatWasThoughtOfOnABrokenStreamIsSaidOnceTheQuestionIsRepeated() throws Exception {
    var thinks = new CountDownLatch(1);
    var thought = new CountDownLatch(1);
    play(
        decision -> {
          thinks.countDown();
          thought.await();
          return first(decision);
        });
    var stream = server.greet();
    stream.say(start("m/1"), ask("m/1", 1, "done"));
    thinks.await();
    stream.end(Status.UNAVAILABLE);
    var again = server.greet(Welcome.newBuilder().setSession("session-2").addResumed("m/1"));
    again.say(start("m/1"), ask("m/1", 1, "done"));
    thought.countDown();
    assertEquals("done", acts(again.hearBodies()));
  }

  @Test
  void aMatchThatIsNotResumedIsForgotten() throws Exception {
    play(ClientTest::first);
    var stream = server.greet();
    stream.say(start("m/1"), ask("m/1", 1, "a"));
    stream.hear();
    stream.end(Status.UNAVAILABLE);
    var again = server.greet(Welcome.newBuilder().setSession("session-2"));
    again.say(ask("m/1", 1, "a"), start("m/2"), ask("m/2", 1, "b"));
    assertEquals("b", acts(again.hearBodies()));
    assertTrue(
        told.contains(
            "match m/1 is no longer this bot's: it went on without it, or is played again later"));
  }

  @Test
  void anErrorResignsOneMatchAndNoOther() throws Exception {
    play(
        decision -> {
          if (decision.match().equals("m/1")) {
            throw new IllegalStateException("no idea");
          }
          return first(decision);
        });
    var stream = server.greet();
    stream.say(start("m/1"), ask("m/1", 3, "a"));
    assertEquals(
        "error in decide: java.lang.IllegalStateException: no idea",
        stream.hearBodies().get(0).getResign().getReason());
    stream.say(start("m/2"), ask("m/2", 1, "b"));
    assertEquals("b", acts(stream.hearBodies()));
    var sentence = told.stream().filter(text -> text.contains("no idea")).findFirst().orElseThrow();
    assertTrue(
        sentence.endsWith(
            "\ndecision 3 of flip7 match m/1 went wrong in decide; resigning this match."),
        sentence);
    assertEquals(1, client.errors());
  }

  @Test
  void anErrorInStartResignsToo() throws Exception {
    play(
        () -> {
          throw new IllegalStateException("no model");
        },
        Settings.at(server.address()).build());
    var stream = server.greet();
    stream.say(start("m/1"));
    assertEquals(
        "error in start: java.lang.IllegalStateException: no model",
        stream.hearBodies().get(0).getResign().getReason());
  }

  @Test
  void strictEndsWithTheFirstError() throws Exception {
    play(
        () ->
            decision -> {
              throw new IllegalStateException("no idea");
            },
        Settings.at(server.address()).strict(true).build());
    var stream = server.greet();
    stream.say(start("m/1"), ask("m/1", 1, "a"));
    var error = failure();
    assertEquals(1, error.code());
    assertEquals(
        "stopped at the first error in decide, as --strict asks: java.lang.IllegalStateException:"
            + " no idea",
        error.getMessage());
  }

  @Test
  void aRefusedMoveIsAskedForAgainWhileTheQuestionIsOpen() throws Exception {
    play(ClientTest::first);
    var stream = server.greet();
    stream.say(start("m/1"), ask("m/1", 1, "fold", "hit"));
    assertEquals("fold", acts(stream.hearBodies()));
    var refused =
        Rejected.newBuilder()
            .setMatchId("m/1")
            .setDecision(1)
            .setMoveText("fold")
            .setMessage("nobody folds")
            .setStrikesLeft(2);
    stream.say(body().setRejected(refused.setOpen(true)));
    assertEquals("hit", acts(stream.hearBodies()));
    stream.say(body().setRejected(refused.setOpen(false)), ask("m/1", 2, "stay"));
    assertEquals("stay", acts(stream.hearBodies()));
    assertTrue(
        told.contains(
            "match m/1, decision 1: 'fold' was refused: nobody folds. Legal were: fold | hit."
                + " Strikes left: 2."),
        told::toString);
  }

  @Test
  void practiceEndsWithLeaveAndASum() throws Exception {
    var ends = new CopyOnWriteArrayList<Result>();
    var bot =
        new Bot() {
          @Override
          public String decide(Decision decision) {
            return first(decision);
          }

          @Override
          public void end(Result result) {
            ends.add(result);
          }
        };
    var practice = new Settings.Practice("flip7", List.of("odds"), 2, "");
    play(() -> bot, Settings.at(server.address()).practice(practice).build());
    var stream = server.greet();
    assertEquals(2, stream.hearBodies().get(0).getPractice().getMatches());
    stream.say(start("p/1"), over("p/1"));
    stream.say(start("p/2"), over("p/2"));
    assertTrue(stream.hearBodies().get(0).hasLeave());
    stream.end();
    playing.get(ScriptedServer.PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertEquals(
        List.of("p/1", "p/2"), ends.stream().map(result -> result.match().id()).sorted().toList());
    assertEquals(
        "2 matches: mean rank 1.00, 2 first, 0 resigned by errors", told.get(told.size() - 1));
    assertTrue(told.contains("flip7 p/1: rank 1 of 2, score 10 against odds"), told::toString);
  }

  @Test
  void aRefusedWishNamesTheFlagThatWasLeftOut() throws Exception {
    var practice = new Settings.Practice("flip7", List.of(), 1, "");
    play(() -> ClientTest::first, Settings.at(server.address()).practice(practice).build());
    var stream = server.greet();
    stream.say(
        body()
            .setNotice(
                Notice.newBuilder()
                    .setCode(NoticeCode.NOTICE_CODE_REFUSED)
                    .setText("flip7 takes 3 to 6 players")));
    var error = failure();
    assertEquals(2, error.code());
    assertEquals(
        "flip7 takes 3 to 6 players (name the others with --against BOT,BOT)", error.getMessage());
  }

  @Test
  void aServerThatDoesNotComeBackIsGivenUp() throws Exception {
    play(
        () -> ClientTest::first,
        Settings.at(server.address()).patience(Duration.ofMillis(500)).build());
    server.greet();
    server.close();
    var error = failure();
    assertEquals(3, error.code());
    assertTrue(error.getMessage().endsWith("; gave up after 0.5 seconds"), error.getMessage());
  }
}
