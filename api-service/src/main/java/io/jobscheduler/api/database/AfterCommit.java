package io.jobscheduler.api.database;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What must wait for the commit of a transaction that spans several calls on this thread: others
 * are told of a change only once they can see it. Outside of one, everything is done at once.
 */
public final class AfterCommit {
  private static final ThreadLocal<@Nullable List<Runnable>> WAITING = new ThreadLocal<>();

  private AfterCommit() {}

  /**
   * Work that commits before it returns.
   *
   * @param <T> its result
   * @param <X> what it throws
   */
  @FunctionalInterface
  public interface Transaction<T extends @Nullable Object, X extends Exception> {
    /** Does it. */
    T run() throws X;
  }

  /** Does it after the commit; at once when no transaction spans this call. */
  public static void run(Runnable task) {
    List<Runnable> waiting = WAITING.get();
    if (waiting == null) {
      task.run();
    } else {
      waiting.add(task);
    }
  }

  /** Whether a transaction spans this call. */
  public static boolean isHeld() {
    return WAITING.get() != null;
  }

  /**
   * Runs a transaction, then what waited for it; when it throws, what waited is forgotten. Inside
   * another one it is part of that.
   */
  public static <T extends @Nullable Object, X extends Exception> T of(
      Transaction<T, X> transaction) throws X {
    if (isHeld()) {
      return transaction.run();
    }
    List<Runnable> waiting = new ArrayList<>();
    T result;
    WAITING.set(waiting);
    try {
      result = transaction.run();
    } finally {
      WAITING.remove();
    }
    waiting.forEach(Runnable::run);
    return result;
  }
}
