/**
 * The probes on the management port: live while the loops turn, ready while the database answers
 * and its schema fits, on a standby too; beside that a word on old snapshots, which fails nothing.
 * Called by the orchestrator; runs no statement of its own.
 */
@NullMarked
package io.jobscheduler.scheduler.health;

import org.jspecify.annotations.NullMarked;
