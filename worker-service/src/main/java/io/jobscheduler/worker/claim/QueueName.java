package io.jobscheduler.worker.claim;

/**
 * A queue as people name it.
 *
 * @param project the project's name
 * @param queue the queue's name within it
 */
public record QueueName(String project, String queue) {
  @Override
  public String toString() {
    return project + "/" + queue;
  }
}
