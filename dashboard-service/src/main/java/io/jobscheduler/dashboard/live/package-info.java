/**
 * Refresh signals for browsers: one LISTEN connection in, one WebSocket per browser out.
 *
 * <p>Called by browsers at {@code /live} and by PostgreSQL's NOTIFY. A signal names topics and a
 * project, never data or ids; losing one costs at most the browser's safety poll. Must not read job
 * data, and must not decide access by itself: api-service does, asked with the caller's own token.
 *
 * <p>Lock order: {@link io.jobscheduler.dashboard.live.SignalCoalescer} before {@link
 * io.jobscheduler.dashboard.live.Subscriber}; neither is held while anything is sent.
 */
@NullMarked
package io.jobscheduler.dashboard.live;

import org.jspecify.annotations.NullMarked;
