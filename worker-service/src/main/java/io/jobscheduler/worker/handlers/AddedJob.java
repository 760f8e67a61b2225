package io.jobscheduler.worker.handlers;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job that a running job adds to its workflow.
 *
 * @param key unique in the workflow
 * @param queue one of the project
 * @param payload JSON as it is to be handed on, at most 256 KiB, or null
 * @param priority 0 to 9, 9 most urgent
 * @param maxAttempts 1 to 1,000
 * @param timeout of an attempt, from a millisecond on, or null for the queue's
 * @param expected how long it is likely to run, for the plan, or null for what its type took
 * @param after what it waits for; nothing: the success of the job that adds it
 */
public record AddedJob(
    String key,
    String type,
    String queue,
    @Nullable String payload,
    int priority,
    int maxAttempts,
    @Nullable Duration timeout,
    @Nullable Duration expected,
    List<After> after) {
  private static final int PRIORITY = 4;
  private static final int ATTEMPTS = 20;

  /** When a parent lets its child start. */
  public enum On {
    /** It has succeeded. */
    SUCCESS,
    /** It has ended. */
    DONE,
    /** It is dead or was cancelled. */
    FAILURE
  }

  /** A member of the workflow, or another added job, to wait for. */
  public record After(String key, On on) {}

  /** Copies the list. */
  public AddedJob {
    after = List.copyOf(after);
  }

  /** In the queue {@code default}, of priority 4 and 20 attempts, without a payload. */
  public static AddedJob of(String key, String type) {
    return new AddedJob(key, type, "default", null, PRIORITY, ATTEMPTS, null, null, List.of());
  }

  /** The same with that payload, JSON text. */
  public AddedJob withPayload(String json) {
    return new AddedJob(key, type, queue, json, priority, maxAttempts, timeout, expected, after);
  }

  /** The same in that queue. */
  public AddedJob inQueue(String name) {
    return new AddedJob(key, type, name, payload, priority, maxAttempts, timeout, expected, after);
  }

  /** The same, waiting for the success of those jobs. */
  public AddedJob after(String... keys) {
    return new AddedJob(
        key,
        type,
        queue,
        payload,
        priority,
        maxAttempts,
        timeout,
        expected,
        List.of(keys).stream().map(k -> new After(k, On.SUCCESS)).toList());
  }
}
