package io.jobscheduler.scheduler.testing;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Something that a test runs beside itself. */
public final class Background<T> {
  private final FutureTask<T> task;

  private Background(Callable<T> work) {
    task = new FutureTask<>(work);
    Thread thread = new Thread(task, "beside-the-test");
    thread.setDaemon(true);
    thread.start();
  }

  /** Starts it. */
  public static <T> Background<T> start(Callable<T> work) {
    return new Background<>(work);
  }

  /** Waits for its end, throws what it threw. */
  public T result() throws Exception {
    try {
      return task.get(Duration.ofSeconds(20).toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    } catch (TimeoutException e) {
      throw new AssertionError("still running after 20 s", e);
    }
  }

  /** Whether it has ended. */
  public boolean isDone() {
    return task.isDone();
  }
}
