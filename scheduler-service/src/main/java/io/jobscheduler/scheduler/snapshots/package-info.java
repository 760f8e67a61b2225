/**
 * Who keeps vacuum from cleaning up, and for how long: transactions with an old snapshot or an old
 * id of their own, prepared ones, replication slots. Dead rows of {@code jobs} stay for as long as
 * one of these may still see them. Read by the probe and by Prometheus; ends nobody's transaction.
 *
 * <p>Authority: the leader alone looks. Timing: every 15 s, one statement on views in memory. On
 * failure the last figure stays; it goes when the term ends, and a new leader counts anew.
 */
@NullMarked
package io.jobscheduler.scheduler.snapshots;

import org.jspecify.annotations.NullMarked;
