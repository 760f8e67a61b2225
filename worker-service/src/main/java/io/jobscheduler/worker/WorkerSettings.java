package io.jobscheduler.worker;

import io.jobscheduler.worker.claim.Claimer;
import io.jobscheduler.worker.claim.QueuePattern;
import io.jobscheduler.worker.lease.Timings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a worker, checked.
 *
 * @param host for people to read
 * @param version the build
 * @param prefetch jobs claimed ahead at most
 * @param prefetchHorizon what would start later than this is not claimed ahead
 * @param effectsFolder where each process writes when its handlers began and ended, or null
 */
public record WorkerSettings(
    String host,
    String version,
    int slots,
    int prefetch,
    Duration prefetchHorizon,
    List<QueuePattern> queues,
    Timings timings,
    Claimer.Rhythm rhythm,
    Duration drainLimit,
    Duration interruptGrace,
    Duration handlerGrace,
    int stuckLimit,
    int largestResult,
    int largestParentResults,
    @Nullable Path effectsFolder) {

  /**
   * Takes them from the configuration.
   *
   * @throws IllegalArgumentException naming the key whose value does not fit the others
   */
  public static WorkerSettings of(WorkerConfig config, String host, String version) {
    int prefetch = config.prefetch().orElse(config.slots() / 2);
    if (prefetch < 0 || prefetch > 10_000) {
      throw new IllegalArgumentException(
          "jobs.worker.prefetch is " + prefetch + ", it must be within 0 to 10000");
    }
    if (config.poll().compareTo(config.timeout()) > 0) {
      throw new IllegalArgumentException(
          "jobs.worker.poll is longer than jobs.worker.timeout: " + config.poll());
    }
    return new WorkerSettings(
        host,
        version,
        config.slots(),
        prefetch,
        config.prefetchHorizon(),
        config.queues().stream().map(QueuePattern::of).toList(),
        new Timings(config.beat(), config.timeout()),
        new Claimer.Rhythm(config.poll(), config.compare()),
        config.drainLimit(),
        config.interruptGrace(),
        config.handlerGrace(),
        config.stuckLimit(),
        config.largestResult(),
        config.largestParentResults(),
        config.effectsFolder().orElse(null));
  }
}
