package io.jobscheduler.worker.settle;

import java.util.List;

/** Who is told which jobs became ready. Must not block. */
public interface ReadyEvents {
  /** These jobs became ready, and the change is committed. */
  void ready(List<ReadyJob> jobs);
}
