/**
 * What a project's jobs have done over time, read from the leader's roll-up: throughput, failures,
 * percentiles of wait and run time, depth. Called by the statistics resource; writes nothing and
 * never reads a job.
 */
@NullMarked
package io.jobscheduler.api.statistics;

import org.jspecify.annotations.NullMarked;
