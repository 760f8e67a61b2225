package io.jobscheduler.worker.lease;

/**
 * What a beat tells.
 *
 * @param running jobs being run
 * @param draining whether the worker takes no new jobs
 * @param unstarted ids of jobs claimed and not started, which need not count as attempts
 */
public record BeatReport(int running, boolean draining, long[] unstarted) {}
