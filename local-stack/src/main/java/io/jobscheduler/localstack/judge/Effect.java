package io.jobscheduler.localstack.judge;

import org.jspecify.annotations.Nullable;

/**
 * What the effect log says about one lease: when its handler began and ended. Times are of the
 * machine's monotonic clock, in nanoseconds. Filled by {@link EffectFiles}, then only read.
 */
final class Effect {
  final long job;
  final long token;
  final int attempt;
  final String project;
  final String queue;
  final long incarnation;
  final long pid;
  int begins;
  int ends;
  long beganNanos;
  long endedNanos;
  @Nullable String outcome;

  /** Lines of one lease that name different jobs, queues or processes. */
  boolean torn;

  Effect(
      long job, long token, int attempt, String project, String queue, long incarnation, long pid) {
    this.job = job;
    this.token = token;
    this.attempt = attempt;
    this.project = project;
    this.queue = queue;
    this.incarnation = incarnation;
    this.pid = pid;
  }

  boolean began() {
    return begins > 0;
  }

  boolean ended() {
    return ends > 0;
  }
}
