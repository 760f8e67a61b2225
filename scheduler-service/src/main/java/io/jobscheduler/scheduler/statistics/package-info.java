/**
 * Statistics: rolls what ended up into counts and histograms by queue and type, minute by minute,
 * and samples how much waits and runs. Authority: the leader; counts are added and the watermark
 * moves in one leader transaction, so whatever fails, each finished row counts once.
 *
 * <p>Timing: the agenda's look tells that a minute is over. It is counted once no transaction runs
 * that may still add a row to it, mostly at once, after two minutes in any case.
 *
 * <p>On failure: a slice of time that fails is halved until it succeeds; one that still fails at a
 * millisecond on its data is left out and reported, so one row costs its millisecond and not the
 * statistics.
 */
@NullMarked
package io.jobscheduler.scheduler.statistics;

import org.jspecify.annotations.NullMarked;
