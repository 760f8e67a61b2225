package io.jobscheduler.worker.workflow;

import io.jobscheduler.worker.claim.ClaimedJob;
import io.jobscheduler.worker.database.Connections;
import io.jobscheduler.worker.database.SqlStates;
import io.jobscheduler.worker.handlers.AddedJob;
import io.jobscheduler.worker.handlers.GrowthException;
import io.jobscheduler.worker.handlers.LeaseLostException;
import io.jobscheduler.worker.handlers.ParentResults;
import io.jobscheduler.worker.handlers.WorkflowAccess;
import io.jobscheduler.worker.settle.ReadyEvents;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** The graphs around the jobs of one tenure, for their handlers. Thread-safe. */
public final class Workflows {
  private static final Set<String> DONE = Set.of("added", "present");
  private static final String LEASE_LOST = "lease-lost";
  private static final String LEASE_LOST_STATE = "JS001";
  private static final int TRIES = 5;

  /** Of a pool of six. Each may wait two seconds for a workflow that is being operated on. */
  private static final int CONNECTIONS = 2;

  private final long worker;
  private final WorkflowStore store;
  private final int most;
  private final int mostInAll;
  private final ReadyEvents events;
  private final Semaphore permits = new Semaphore(CONNECTIONS);

  /**
   * Makes it.
   *
   * @param most bytes that a parent's result may have
   * @param mostInAll bytes that all results of a job's parents may have
   * @param events is told of added jobs that are ready
   */
  public Workflows(long worker, Connections pool, int most, int mostInAll, ReadyEvents events) {
    this.worker = worker;
    this.store = new WorkflowStore(pool);
    this.most = most;
    this.mostInAll = mostInAll;
    this.events = events;
  }

  /** What the attempt that holds this lease may ask. */
  public WorkflowAccess of(ClaimedJob job) {
    return new Access(job);
  }

  private interface Statement<T> {
    T run() throws SQLException;
  }

  /** Runs it when there is a connection to spare; what changed nothing is repeated. */
  private <T> T run(ClaimedJob job, Statement<T> statement)
      throws SQLException, LeaseLostException, InterruptedException {
    permits.acquire();
    try {
      int failures = 0;
      while (true) {
        try {
          return statement.run();
        } catch (SQLException e) {
          if (LEASE_LOST_STATE.equals(e.getSQLState())) {
            throw new LeaseLostException(job.id());
          }
          failures++;
          if (failures == TRIES || !SqlStates.isTransient(e)) {
            throw e;
          }
        }
      }
    } finally {
      permits.release();
    }
  }

  private final class Access implements WorkflowAccess {
    private final ClaimedJob job;
    private @Nullable ParentResults results;

    Access(ClaimedJob job) {
      this.job = job;
    }

    @Override
    public synchronized ParentResults parentResults()
        throws LeaseLostException, SQLException, InterruptedException {
      ParentResults known = results;
      if (known == null) {
        known =
            new ParentResults(run(job, () -> store.parentResults(worker, job, most, mostInAll)));
        results = known;
      }
      return known;
    }

    @Override
    public void addJobs(List<AddedJob> jobs)
        throws GrowthException, LeaseLostException, SQLException, InterruptedException {
      Growth growth = Growth.of(jobs);
      if (job.workflowId() == null) {
        throw new GrowthException("no-workflow", List.of());
      }
      if (jobs.isEmpty()) {
        return;
      }
      WorkflowStore.Added added = run(job, () -> store.addDownstream(worker, job, growth));
      for (WorkflowStore.Verdict verdict : added.verdicts()) {
        if (verdict.verdict().equals(LEASE_LOST)) {
          throw new LeaseLostException(job.id());
        }
        if (!DONE.contains(verdict.verdict())) {
          throw new GrowthException(verdict.verdict(), keysOf(verdict.verdict(), added));
        }
      }
      if (!added.ready().isEmpty()) {
        events.ready(added.ready());
      }
    }

    private List<String> keysOf(String verdict, WorkflowStore.Added added) {
      return added.verdicts().stream()
          .filter(other -> other.verdict().equals(verdict) && !other.key().isEmpty())
          .map(WorkflowStore.Verdict::key)
          .toList();
    }
  }
}
