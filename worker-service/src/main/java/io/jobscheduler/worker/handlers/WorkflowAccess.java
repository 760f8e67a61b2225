package io.jobscheduler.worker.handlers;

import java.sql.SQLException;
import java.util.List;

/** What a running attempt may ask of the graph around its job. Thread-safe. */
public interface WorkflowAccess {
  /** Of a job that stands alone. */
  WorkflowAccess NONE =
      new WorkflowAccess() {
        @Override
        public ParentResults parentResults() {
          return ParentResults.NONE;
        }

        @Override
        public void addJobs(List<AddedJob> jobs) throws GrowthException {
          throw new GrowthException("no-workflow", List.of());
        }
      };

  /** See {@link JobContext#parentResults}. */
  ParentResults parentResults() throws LeaseLostException, SQLException, InterruptedException;

  /** See {@link JobContext#addJobs}. */
  void addJobs(List<AddedJob> jobs)
      throws GrowthException, LeaseLostException, SQLException, InterruptedException;
}
