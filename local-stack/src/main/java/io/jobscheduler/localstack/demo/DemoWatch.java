package io.jobscheduler.localstack.demo;

import io.jobscheduler.localstack.process.Await;
import io.jobscheduler.localstack.process.StackFailure;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Shows how far the workflows are, once a second, until all are over. */
final class DemoWatch {
  /** Longer than a lost worker's jobs take to come back. */
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  private static final Duration ROUND = Duration.ofSeconds(1);
  private static final Duration PLAIN_LINES = Duration.ofSeconds(5);
  private static final int BAR = 30;

  private final List<SubmittedWorkflow> workflows;
  private final int jobs;
  private final PrintStream out;
  private final boolean terminal = isTerminal();
  private final long start = System.nanoTime();
  private final Map<SubmittedWorkflow, SubmittedWorkflow.Progress> over = new HashMap<>();
  private long nextLine = start;

  DemoWatch(List<SubmittedWorkflow> workflows, int jobs, PrintStream out) {
    this.workflows = workflows;
    this.jobs = jobs;
    this.out = out;
  }

  /**
   * Returns when no workflow runs any more.
   *
   * @throws StackFailure when no job has finished for two minutes
   */
  void untilOver() {
    int finished = -1;
    long moved = System.nanoTime();
    while (over.size() < workflows.size()) {
      int now = finishedJobs();
      if (now != finished) {
        finished = now;
        moved = System.nanoTime();
      } else if (System.nanoTime() - moved > PATIENCE.toNanos()) {
        throw new StackFailure(
            "No job has finished for " + PATIENCE.toSeconds() + " s; see the services' logs.");
      }
      show(finished);
      pause();
    }
    out.println();
  }

  private int finishedJobs() {
    int finished = 0;
    for (SubmittedWorkflow workflow : workflows) {
      SubmittedWorkflow.Progress known = over.get(workflow);
      SubmittedWorkflow.Progress progress = known == null ? workflow.progress() : known;
      if (progress.over()) {
        over.put(workflow, progress);
      }
      finished += progress.finishedJobs();
    }
    return finished;
  }

  private void show(int finished) {
    long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds();
    String line =
        "%3d s  %,6d of %,d jobs  %2d of %d workflows"
            .formatted(seconds, finished, jobs, over.size(), workflows.size());
    if (terminal) {
      int full = jobs == 0 ? 0 : (int) ((long) BAR * finished / jobs);
      out.print("\r[" + "#".repeat(full) + ".".repeat(BAR - full) + "] " + line + " ");
      out.flush();
    } else if (System.nanoTime() >= nextLine || over.size() == workflows.size()) {
      nextLine = System.nanoTime() + PLAIN_LINES.toNanos();
      out.println(line);
    }
  }

  private static void pause() {
    long next = System.nanoTime() + ROUND.toNanos();
    Await.until(ROUND, () -> System.nanoTime() >= next);
  }

  /** Asked of the shell, since Java's own answer differs between versions. */
  private static boolean isTerminal() {
    try {
      return new ProcessBuilder("sh", "-c", "test -t 1").inheritIO().start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
