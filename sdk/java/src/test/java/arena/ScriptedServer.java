package arena;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import arena.v1.BotBody;
import arena.v1.Decide;
import arena.v1.Hello;
import arena.v1.MatchEnd;
import arena.v1.MatchResult;
import arena.v1.MatchServiceGrpc;
import arena.v1.MatchStart;
import arena.v1.PlayRequest;
import arena.v1.PlayResponse;
import arena.v1.RefereeBody;
import arena.v1.Termination;
import arena.v1.Welcome;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A server in this process, on a real socket, that says what a test tells it to say. */
final class ScriptedServer implements AutoCloseable {
  static final int PATIENCE_SECONDS = 120;

  private final BlockingQueue<Stream> streams = new LinkedBlockingQueue<>();
  private final Server server;

  ScriptedServer() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("localhost", 0))
            .addService(
                new MatchServiceGrpc.MatchServiceImplBase() {
                  @Override
                  public StreamObserver<PlayRequest> play(StreamObserver<PlayResponse> responses) {
                    var stream = new Stream(responses);
                    streams.add(stream);
                    return stream;
                  }
                })
            .build()
            .start();
  }

  String address() {
    return "localhost:" + server.getPort();
  }

  /** The next stream that a bot opens, after its Hello and this Welcome. */
  Stream greet(Welcome.Builder welcome) throws InterruptedException {
    var stream = streams.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertNotNull(stream, "no bot came");
    var first = stream.hear();
    assertTrue(first.getBodies(0).hasHello(), "the first body is no Hello");
    stream.hello = first.getBodies(0).getHello();
    stream.say(
        body().setWelcome(welcome.setProtocolVersion(1).setName("mybot").setServer("a script")));
    return stream;
  }

  Stream greet() throws InterruptedException {
    return greet(Welcome.newBuilder().setSession("session-1"));
  }

  @Override
  public void close() {
    server.shutdownNow();
  }

  /** One bot's stream. */
  static final class Stream implements StreamObserver<PlayRequest> {
    private final StreamObserver<PlayResponse> responses;
    private final BlockingQueue<PlayRequest> requests = new LinkedBlockingQueue<>();
    Hello hello;

    Stream(StreamObserver<PlayResponse> responses) {
      this.responses = responses;
    }

    void say(RefereeBody.Builder... bodies) {
      var message = PlayResponse.newBuilder();
      for (var body : bodies) {
        message.addBodies(body);
      }
      responses.onNext(message.build());
    }

    /** The next message of the bot. */
    PlayRequest hear() throws InterruptedException {
      var request = requests.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertNotNull(request, "the bot said nothing");
      return request;
    }

    List<BotBody> hearBodies() throws InterruptedException {
      return hear().getBodiesList();
    }

    void end(Status status) {
      responses.onError(status.asRuntimeException());
    }

    void end() {
      responses.onCompleted();
    }

    @Override
    public void onNext(PlayRequest request) {
      requests.add(request);
    }

    @Override
    public void onError(Throwable gone) {
      requests.add(PlayRequest.getDefaultInstance());
    }

    @Override
    public void onCompleted() {
      requests.add(PlayRequest.getDefaultInstance());
    }
  }

  static RefereeBody.Builder body() {
    return RefereeBody.newBuilder();
  }

  static RefereeBody.Builder start(String match) {
    return body()
        .setMatchStart(
            MatchStart.newBuilder()
                .setMatchId(match)
                .setGame("flip7")
                .addNames("mybot")
                .addNames("odds")
                .setViewType("json"));
  }

  static RefereeBody.Builder ask(String match, int number, String... legal) {
    var question =
        Decide.newBuilder()
            .setMatchId(match)
            .setDecision(number)
            .setBudgetMs(60_000)
            .setComplete(true);
    return body().setDecide(question.addAllLegal(List.of(legal)));
  }

  static RefereeBody.Builder over(String match) {
    var result =
        MatchResult.newBuilder()
            .addAllRanks(List.of(1, 2))
            .addAllScores(List.of(10, 5))
            .addAllTerminations(
                List.of(Termination.TERMINATION_FINISHED, Termination.TERMINATION_FINISHED))
            .addAllTexts(List.of("", ""));
    return body().setMatchEnd(MatchEnd.newBuilder().setMatchId(match).setResult(result));
  }

  static String acts(List<BotBody> bodies) {
    return String.join(
        " ",
        bodies.stream()
            .map(body -> body.hasAct() ? body.getAct().getMoveText() : body.getBodyCase().name())
            .toList());
  }
}
