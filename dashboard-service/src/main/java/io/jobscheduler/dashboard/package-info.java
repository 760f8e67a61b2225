/**
 * dashboard-service: the web UI, the API behind one origin, refresh signals over WebSocket. Reads
 * no job data and writes nothing.
 */
@NullMarked
package io.jobscheduler.dashboard;

import org.jspecify.annotations.NullMarked;
