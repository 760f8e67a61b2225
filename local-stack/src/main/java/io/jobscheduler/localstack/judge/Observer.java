package io.jobscheduler.localstack.judge;

import io.jobscheduler.localstack.postgres.Database;

/**
 * Looks at the running system about every 100 ms, each time by one statement: the running jobs of
 * each limited queue and key against its limit. It connects anew for as long as it takes.
 */
public final class Observer implements AutoCloseable {
  private final Database database;

  public Observer(Database database) {
    this.database = database;
  }

  /** Begins to look, on a thread of its own. */
  public void start() {
    throw new UnsupportedOperationException("comes with the observer of " + database);
  }

  /** Ends and tells what it saw. */
  public Observations stop() {
    throw new UnsupportedOperationException("comes with the observer");
  }

  @Override
  public void close() {
    stop();
  }
}
