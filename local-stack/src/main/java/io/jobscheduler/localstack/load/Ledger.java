package io.jobscheduler.localstack.load;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the product promised the load, each after the answer that promised it. Thread-safe; read it
 * once the load has stopped.
 */
public final class Ledger {
  /** The count of answers to requests that went for what another project has. */
  public static final String PROBES = "probes of foreign ids";

  private static final int KEPT = 100;

  private final Map<Long, Accepted> jobs = new HashMap<>();
  private final Map<Long, Flow> workflows = new HashMap<>();
  private final Map<Long, String> listed = new HashMap<>();
  private final Set<Long> cancelled = new HashSet<>();
  private final Set<Long> redriven = new HashSet<>();
  private final List<String> unexpected = new ArrayList<>();
  private final List<String> crossings = new ArrayList<>();
  private final Map<String, Long> counts = new HashMap<>();

  /**
   * An accepted job.
   *
   * @param project in which it was enqueued
   * @param queue in which; null where the answer does not say, as for a workflow's jobs
   */
  public record Accepted(String project, @Nullable String queue, Expectation expectation) {}

  /** A 2xx, or a commit, said that this job exists. */
  public synchronized void accepted(long job, Accepted accepted) {
    jobs.put(job, accepted);
  }

  /**
   * An accepted workflow. Nobody cancels it or a part of it.
   *
   * @param allSucceed whether nothing in it fails by its own word, so that all of it succeeds
   */
  public record Flow(String project, boolean allSucceed) {}

  /** A 2xx said that this workflow exists. */
  public synchronized void workflow(long workflow, Flow flow) {
    workflows.put(workflow, flow);
  }

  /** A project's list had this job; that it is the project's own is found out by the records. */
  public synchronized void listed(long job, String project) {
    String before = listed.putIfAbsent(job, project);
    if (before != null && !before.equals(project)) {
      crossed("job %d was listed in %s and in %s".formatted(job, before, project));
    }
  }

  /** A 2xx said {@code cancelled}: the job has ended so, for good. */
  public synchronized void cancelled(long job) {
    cancelled.add(job);
  }

  /** However it ends now is right: somebody asked to cancel it, or a part of its workflow. */
  public synchronized void mayEndAnyhow(long job) {
    jobs.computeIfPresent(job, (id, a) -> new Accepted(a.project(), a.queue(), Expectation.ANY));
  }

  /** A 2xx said that this dead job runs again. */
  public synchronized void redriven(long job) {
    redriven.add(job);
  }

  /** An answer that neither the request nor a fault explains. */
  public synchronized void unexpected(String what) {
    count("unexpected answers");
    if (unexpected.size() < KEPT) {
      unexpected.add(what);
    }
  }

  /** Something of one project was seen or touched from another. */
  public synchronized void crossed(String what) {
    count("crossings");
    if (crossings.size() < KEPT) {
      crossings.add(what);
    }
  }

  /** Counts something worth telling: requests, answers lost, probes of foreign ids … */
  public synchronized void count(String what) {
    counts.merge(what, 1L, Long::sum);
  }

  /** The accepted jobs, by id. */
  public synchronized Map<Long, Accepted> jobs() {
    return Map.copyOf(jobs);
  }

  /** How many jobs were accepted by now. */
  public synchronized int size() {
    return jobs.size();
  }

  /** The accepted workflows, by id. */
  public synchronized Map<Long, Flow> workflows() {
    return Map.copyOf(workflows);
  }

  /** In which project's list a job was seen, by id. */
  public synchronized Map<Long, String> listed() {
    return Map.copyOf(listed);
  }

  /** Jobs that were promised to have ended as cancelled. */
  public synchronized Set<Long> cancelled() {
    return Set.copyOf(cancelled);
  }

  /** Jobs that were promised to run again. */
  public synchronized Set<Long> redriven() {
    return Set.copyOf(redriven);
  }

  /** Odd answers, the first so many. */
  public synchronized List<String> unexpected() {
    return List.copyOf(unexpected);
  }

  /** What crossed from one project into another, the first so many. */
  public synchronized List<String> crossings() {
    return List.copyOf(crossings);
  }

  /** What was counted, by name. */
  public synchronized Map<String, Long> counts() {
    return Map.copyOf(counts);
  }
}
