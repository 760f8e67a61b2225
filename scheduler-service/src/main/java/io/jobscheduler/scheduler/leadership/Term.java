package io.jobscheduler.scheduler.leadership;

/**
 * One time of leading.
 *
 * @param epoch larger than that of every earlier term, of whatever process
 */
public record Term(long epoch) {}
