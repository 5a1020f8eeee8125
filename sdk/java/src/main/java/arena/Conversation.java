package arena;

import arena.Outbox.Batch;
import arena.v1.BotBody;
import arena.v1.Decide;
import arena.v1.Leave;
import arena.v1.MatchEnd;
import arena.v1.MatchStart;
import arena.v1.Nonces;
import arena.v1.Notice;
import arena.v1.NoticeCode;
import arena.v1.PlayRequest;
import arena.v1.PlayResponse;
import arena.v1.RefereeBody;
import arena.v1.Rejected;
import arena.v1.Welcome;
import com.google.protobuf.Message;
import io.grpc.stub.StreamObserver;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What the referee says and what becomes of it, over all streams of a client: matches, questions,
 * the wish for practice, leaving.
 *
 * <p>The network's thread only sorts what comes; {@link Thinking} has the bot answer on other
 * threads. One lock guards everything here, and no code of the bot's author runs while it is held.
 */
final class Conversation {
  static final int PROTOCOL_VERSION = 1;
  private static final int MOST_RESULTS = 1000;

  private final Settings settings;
  private final Console console;
  private final Recording recording;
  private final Consumer<ArenaException> failed;
  private final Object lock = new Object();
  private final Outbox outbox;
  private final Thinking thinking;
  private final Map<String, Seat> seats = new LinkedHashMap<>();
  private final Sentences.Tally tally = new Sentences.Tally();
  private final ArrayDeque<Result> results = new ArrayDeque<>();
  private final Practising practising;
  private final NonceDrawing drawing = new NonceDrawing();

  /**
   * Where the server is to be found: the address that was given, then those that the server has
   * told.
   */
  private List<String> addresses;

  private int streams;
  private int welcomes;
  private boolean welcomed;
  private String session = "";
  private boolean leaving;

  Conversation(
      Supplier<? extends Bot> bots,
      int threads,
      Settings settings,
      Console console,
      Consumer<ArenaException> failed)
      throws ArenaException {
    this.settings = settings;
    this.console = console;
    this.outbox = new Outbox(lock, settings.sendAfter());
    this.recording = settings.record() == null ? null : new Recording(settings.record());
    this.failed = failed;
    this.addresses = List.of(settings.server());
    this.practising = new Practising(settings.practice());
    this.thinking = new Thinking(this, bots, Threads.thinking(threads));
  }

  // What the client needs.

  /** A new stream, which begins with these words. */
  void begin(Supplier<StreamObserver<PlayRequest>> opening, PlayRequest hello) {
    synchronized (lock) { // what comes back waits until all is in place
      streams++;
      var requests = opening.get();
      requests.onNext(hello);
      outbox.use(requests);
    }
  }

  /** The stream has ended. */
  void lost() {
    synchronized (lock) {
      welcomed = false;
      outbox.use(null);
    }
  }

  /** One message of the referee, which came from this address. */
  void heard(PlayResponse message, String where) {
    synchronized (lock) {
      var batch = outbox.new Batch();
      try {
        for (var body : message.getBodiesList()) {
          heard(body, batch, where);
        }
      } catch (ArenaException error) {
        failed.accept(error);
      }
      batch.settle();
    }
  }

  void leave() {
    synchronized (lock) {
      if (!leaving) {
        sayLeave();
        outbox.flush();
      }
    }
  }

  /** Waits until every bot has heard how its match ended. */
  void finish() throws InterruptedException {
    thinking.finish();
  }

  void close() {
    outbox.close();
    thinking.close();
    if (recording != null) {
      recording.close();
    }
    synchronized (lock) {
      if (!tally.isEmpty() && (leaving || practising.wanted())) {
        console.say(tally.sum(thinking.errors()));
      }
    }
  }

  boolean leaving() {
    synchronized (lock) {
      return leaving;
    }
  }

  int playing() {
    synchronized (lock) {
      return seats.size();
    }
  }

  int welcomes() {
    synchronized (lock) {
      return welcomes;
    }
  }

  String session() {
    synchronized (lock) {
      return session;
    }
  }

  List<String> addresses() {
    synchronized (lock) {
      return addresses;
    }
  }

  List<Result> results() {
    synchronized (lock) {
      return List.copyOf(results);
    }
  }

  int errors() {
    return thinking.errors();
  }

  // What the thinking needs.

  Object lock() {
    return lock;
  }

  Outbox outbox() {
    return outbox;
  }

  Console console() {
    return console;
  }

  Recording recording() {
    return recording;
  }

  boolean strict() {
    return settings.strict();
  }

  /** Whether this is still the question before the bot in that match. */
  boolean asks(Seat seat, Decision decision) {
    return seats.get(seat.match.id()) == seat && seat.question == decision;
  }

  /** Whether that question was asked (or repeated) on the stream of today. */
  boolean hears(Seat seat) {
    return seat.stream == streams && welcomed;
  }

  /** Ends the program with this error. */
  void fail(ArenaException error) {
    failed.accept(error);
  }

  // What the referee says.

  private void heard(RefereeBody body, Batch batch, String where) throws ArenaException {
    switch (body.getBodyCase()) {
      case DECIDE -> decide(body.getDecide(), batch);
      case WELCOME -> welcome(body.getWelcome(), where);
      case MATCH_START -> matchStart(body.getMatchStart(), batch);
      case REJECTED -> rejected(body.getRejected(), batch);
      case MATCH_END -> matchEnd(body.getMatchEnd());
      case NOTICE -> notice(body.getNotice());
      case NONCES -> nonces(body.getNonces());
      case DRAIN -> console.say(body.getDrain().getText());
      case BODY_NOT_SET -> {} // of a later version of the protocol
    }
  }

  private void decide(Decide question, Batch batch) {
    var seat = seats.get(question.getMatchId());
    if (seat == null) {
      return;
    }
    seat.stream = streams;
    var same = seat.question != null && seat.question.number() == question.getDecision();
    if (seat.resigned || same) {
      // Asked again: the answer was lost on the way, or is still being thought about.
      if (seat.reply != null && (same || question.getAgain())) {
        outbox.put(seat.reply);
      }
      return;
    }
    thinking.ask(seat, new Decision(seat.match, question, ""), batch);
  }

  private void welcome(Welcome welcome, String where) throws ArenaException {
    if (welcome.getProtocolVersion() != PROTOCOL_VERSION) {
      throw new ArenaException(
          ArenaException.REFUSED,
          "%s speaks protocol %d, this SDK %d: update the older of the two"
              .formatted(welcome.getServer(), welcome.getProtocolVersion(), PROTOCOL_VERSION));
    }
    welcomes++;
    welcomed = true;
    var fresh = session.isEmpty();
    session = welcome.getSession();
    if (welcome.getAddressesCount() > 0) {
      var all = new ArrayList<>(List.of(settings.server()));
      welcome.getAddressesList().stream()
          .filter(address -> !all.contains(address))
          .forEach(all::add);
      addresses = List.copyOf(all);
    }
    for (var gone :
        seats.values().stream()
            .filter(seat -> !welcome.getResumedList().contains(seat.match.id()))
            .toList()) {
      console.warn(
          "match %s is no longer this bot's: it went on without it, or is played again later"
              .formatted(gone.match.id()));
      seats.remove(gone.match.id());
      practising.over(gone.match.tournament().isEmpty());
    }
    console.say(
        "connected to " + welcome.getServer() + " at " + where + " as " + welcome.getName());
    if (leaving) {
      sayLeave();
    } else if (practising.wanted()) {
      goOnPractising(welcome, fresh);
    } else if (fresh) {
      console.say("waiting for matches (Ctrl-C to leave)");
    }
  }

  /** Asks for the matches that are missing, unless the server still knows that they are to come. */
  private void goOnPractising(Welcome welcome, boolean fresh) {
    if (welcome.getPracticeLeft() > 0 && !fresh) {
      return;
    }
    var running = 0;
    for (var id : welcome.getResumedList()) {
      var seat = seats.get(id);
      running += seat == null || seat.match.tournament().isEmpty() ? 1 : 0;
    }
    var missing = practising.missing(running);
    if (missing > 0) {
      outbox.put(BotBody.newBuilder().setPractice(practising.ask(missing)).build());
    } else if (running == 0) {
      sayLeave();
    }
  }

  private void matchStart(MatchStart start, Batch batch) throws ArenaException {
    if (!seats.containsKey(start.getMatchId())) {
      var seat = thinking.start(Match.of(start), batch);
      seat.stream = streams;
      seats.put(start.getMatchId(), seat);
    }
    note("start", start);
  }

  private void rejected(Rejected rejected, Batch batch) throws ArenaException {
    note("rejected", rejected);
    var seat = seats.get(rejected.getMatchId());
    var known =
        seat != null && seat.question != null && seat.question.number() == rejected.getDecision();
    console.warn(Sentences.refused(rejected, known ? seat.question : null));
    if (rejected.getOpen() && known && !seat.resigned) {
      seat.stream = streams;
      var repeated = rejected.hasQuestion() ? rejected.getQuestion() : null;
      thinking.ask(seat, seat.question.rejected(rejected.getMessage(), repeated), batch);
    }
  }

  private void matchEnd(MatchEnd end) throws ArenaException {
    note("end", end);
    var seat = seats.remove(end.getMatchId());
    if (seat != null) {
      var result = Result.of(seat.match, end);
      tally.add(result.rank());
      results.add(result);
      if (results.size() > MOST_RESULTS) {
        results.remove();
      }
      console.say(Sentences.ended(result));
      thinking.end(seat, result);
    }
    practising.over(seat == null || seat.match.tournament().isEmpty());
    if (practising.done() && !leaving) {
      sayLeave();
    }
  }

  private void notice(Notice notice) throws ArenaException {
    note("notice", notice);
    if (notice.getCode() == NoticeCode.NOTICE_CODE_REFUSED) {
      throw new ArenaException(ArenaException.REFUSED, notice.getText() + practising.hint());
    }
    console.say(notice.getText());
  }

  private void nonces(Nonces call) throws ArenaException {
    note("nonces", call);
    var answer = drawing.answer(call);
    if (answer != null) {
      outbox.put(BotBody.newBuilder().setNonce(answer).build());
    } else if (drawing.broken(call)) {
      console.warn(
          "tournament %s is played with other nonces than were agreed on: ask the host why"
              .formatted(call.getTournament()));
    }
  }

  private void note(String type, Message message) throws ArenaException {
    if (recording != null) {
      recording.note(type, message);
    }
  }

  private void sayLeave() {
    leaving = true;
    if (welcomed) {
      outbox.put(BotBody.newBuilder().setLeave(Leave.getDefaultInstance()).build());
    }
  }
}
