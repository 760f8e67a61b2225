package io.jobscheduler.localstack.load;

import java.time.Duration;
import java.util.List;

/**
 * A mixed load on a running system. {@link #start} makes its projects, queues and schedules and
 * returns once the first jobs are accepted; from then on its own threads enqueue, cancel and
 * redrive until {@link #stop}. Any thread may ask; start, stop and drain are for one.
 */
public final class Load implements AutoCloseable {
  private final LoadPlan plan;
  private final Ledger ledger = new Ledger();

  public Load(LoadPlan plan) {
    this.plan = plan;
  }

  /**
   * Begins.
   *
   * @throws io.jobscheduler.localstack.process.StackFailure when the system does not let it in
   *     within a minute
   */
  public void start() {
    throw new UnsupportedOperationException("comes with the load");
  }

  /** Hands in nothing more; returns once every request under way is answered or given up. */
  public void stop() {
    throw new UnsupportedOperationException("comes with the load");
  }

  /**
   * Puts the queues right again, pauses the schedules once they have decided every time up to the
   * stop, and waits until no job of the load lives. Call it when every fault is over and at least
   * one worker, scheduler and API runs.
   *
   * @return whether none lives; false when the limit passed first
   */
  public boolean drain(Duration limit) {
    throw new UnsupportedOperationException("comes with the load");
  }

  /** Its queues, made by {@link #start}: faults may edit and pause the elastic ones. */
  public List<LoadQueue> queues() {
    throw new UnsupportedOperationException("comes with the load");
  }

  public Ledger ledger() {
    return ledger;
  }

  /** The seed of the plan. */
  public long seed() {
    return plan.seed();
  }

  @Override
  public void close() {
    stop();
  }
}
