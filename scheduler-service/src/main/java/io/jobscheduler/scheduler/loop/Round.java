package io.jobscheduler.scheduler.loop;

/** One round of a loop: bounded work, done again at the next turn. */
@FunctionalInterface
public interface Round {
  /** Does the work. What it throws ends this round only. */
  void run() throws Exception;
}
