package arena;

import arena.v1.BotBody;
import arena.v1.PlayRequest;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * What is ready to be sent. All questions of one message are answered in one message, for cost is
 * per message, hardly per answer. If the bot thinks long about some of them, the others leave after
 * 20 ms (unless the settings say otherwise).
 */
final class Outbox {
  private final Object lock;
  private final Duration longestWait;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(work -> Threads.daemon(work, "arena-timer"));
  private StreamObserver<PlayRequest> stream;
  private PlayRequest.Builder ready;
  private boolean timed;

  Outbox(Object lock, Duration longestWait) {
    this.lock = lock;
    this.longestWait = longestWait;
  }

  /** The questions of one message that are still to be answered. */
  final class Batch {
    private int open;
    private boolean late;

    void opened() {
      open++;
    }

    /** One of them is answered, or needs no answer any more. */
    void closed() {
      open--;
      settle();
    }

    /** Sends what is ready if nothing more is to be waited for; else soon. */
    void settle() {
      if (open == 0 || late) {
        flush();
      } else if (ready != null && !timed) {
        timed = true;
        timer.schedule(() -> expire(this), longestWait.toMillis(), TimeUnit.MILLISECONDS);
      }
    }
  }

  /** From now on everything goes to this stream; what was meant for the one before is dropped. */
  void use(StreamObserver<PlayRequest> next) {
    synchronized (lock) {
      stream = next;
      ready = null;
    }
  }

  /** Into the next message. */
  void put(BotBody body) {
    if (stream != null) {
      if (ready == null) {
        ready = PlayRequest.newBuilder();
      }
      ready.addBodies(body);
    }
  }

  void flush() {
    if (ready != null) {
      var message = ready.build();
      ready = null;
      try {
        stream.onNext(message);
      } catch (IllegalStateException ended) {
        return; // the stream has just ended, and the reader tells why
      }
    }
  }

  private void expire(Batch batch) {
    synchronized (lock) {
      timed = false;
      batch.late = true;
      flush();
    }
  }

  void close() {
    timer.shutdownNow();
  }
}
