package arena;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads on which bots think; none of them keeps a program alive. */
final class Threads {
  /** A sandbox counts threads as processes and allows few: bots beyond these wait for a thread. */
  private static final int MOST = 48;

  private Threads() {}

  /** So many at once, in the order in which work comes. */
  static ExecutorService thinking(int atOnce) {
    var count = Math.max(1, Math.min(atOnce, MOST));
    var threads = new Pool(count);
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  /** Goes on with the threads it has where the machine gives no more. */
  private static final class Pool extends ThreadPoolExecutor {
    Pool(int count) {
      super(
          count,
          count,
          60,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          work -> daemon(work, "arena-bot"));
    }

    @Override
    public void execute(Runnable work) {
      try {
        super.execute(work);
      } catch (OutOfMemoryError noThread) {
        if (getPoolSize() == 0) {
          throw noThread;
        }
        getQueue().add(work);
      }
    }
  }

  static Thread daemon(Runnable work, String name) {
    var thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }
}
