package io.jobscheduler.worker;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotEmpty;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

/** The worker's settings. Relations between them are checked by {@link WorkerSettings}. */
@ConfigMapping(prefix = "jobs.worker")
public interface WorkerConfig {
  /** Jobs run at once, each on a thread of its own. */
  @WithDefault("8")
  @Min(1)
  @Max(1000)
  int slots();

  /** Queues served, as {@code project/queue} with {@code *} for any characters. */
  @WithDefault("*/*")
  @NotEmpty
  List<String> queues();

  /** Jobs claimed ahead at most, from queues without a limit; half the slots when absent. */
  OptionalInt prefetch();

  /** Only what is likely to start within this time is claimed ahead, judged by recent run times. */
  @WithDefault("PT0.01S")
  @DurationMax(seconds = 10)
  Duration prefetchHorizon();

  /** Between two beats. */
  @WithDefault("PT2S")
  @DurationMin(millis = 100)
  @DurationMax(minutes = 1)
  Duration beat();

  /** Silence after which a worker is lost; the schedulers' setting must be the same. */
  @WithDefault("PT15S")
  @DurationMax(minutes = 10)
  Duration timeout();

  /** Between two looks for work that no wake-up announced. */
  @WithDefault("PT1S")
  @DurationMin(millis = 50)
  @DurationMax(minutes = 1)
  Duration poll();

  /** Between two comparisons of what is held with what is remembered. */
  @WithDefault("PT5S")
  @DurationMin(millis = 100)
  @DurationMax(minutes = 5)
  Duration compare();

  /** At shutdown: how long running jobs may go on. */
  @WithDefault("PT5M")
  @DurationMax(days = 1)
  Duration drainLimit();

  /** At shutdown: how long an interrupted handler may take to end. */
  @WithDefault("PT2S")
  @DurationMax(minutes = 5)
  Duration interruptGrace();

  /** After a job's time-out or a cancel: how long its interrupted handler may take to end. */
  @WithDefault("PT10S")
  @DurationMin(millis = 10)
  @DurationMax(minutes = 10)
  Duration handlerGrace();

  /** Handlers that do not end when told to: beyond so many the worker takes no more jobs. */
  @WithDefault("8")
  @Min(0)
  @Max(1000)
  int stuckLimit();

  /** Bytes of UTF-8 that a result may have. */
  @WithDefault("262144")
  @Min(1024)
  @Max(4_194_304)
  int largestResult();

  /** Bytes of UTF-8 that the results of its parents may have together when a job asks for them. */
  @WithDefault("4194304")
  @Min(1024)
  @Max(67_108_864)
  int largestParentResults();

  /** Where each process writes when its handlers began and ended; nowhere when absent. */
  Optional<Path> effectsFolder();
}
