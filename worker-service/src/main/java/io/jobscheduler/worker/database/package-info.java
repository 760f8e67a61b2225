/**
 * Connections: the pooled ones' settings, the direct ones for LISTEN and session locks, and the
 * classes of SQLSTATE on which the loops branch.
 */
@NullMarked
package io.jobscheduler.worker.database;

import org.jspecify.annotations.NullMarked;
