package arena;

import arena.v1.BotBody;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/**
 * One bot in one match. What it is told and asked there is done in order, one thing at a time;
 * different seats do not wait for each other. Its fields belong to the client, and are read and
 * written under the client's lock.
 */
final class Seat {
  final Match match;

  /** Made on the seat's own time, for it is the author's code; null before that. */
  volatile Bot bot;

  /** The latest question. */
  Decision question;

  /** What was said to it, or will be if it is repeated; null while the bot thinks. */
  BotBody reply;

  /** The stream on which it came last. */
  int stream;

  /** Whether this match was resigned because of an error. */
  boolean resigned;

  private final Executor threads;
  private final ArrayDeque<Runnable> jobs = new ArrayDeque<>();
  private boolean working;

  Seat(Match match, Executor threads) {
    this.match = match;
    this.threads = threads;
  }

  /** Does the job after all that was asked before it. */
  void then(Runnable job) {
    synchronized (jobs) {
      jobs.add(job);
      if (working) {
        return;
      }
      working = true;
    }
    threads.execute(this::work);
  }

  private void work() {
    while (true) {
      Runnable job;
      synchronized (jobs) {
        job = jobs.poll();
        if (job == null) {
          working = false;
          return;
        }
      }
      job.run();
    }
  }
}
