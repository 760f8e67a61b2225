/**
 * Schedules of a project: when jobs or workflows are made, and what became of it. People decide
 * here; the scheduler's leader fires. All reckoning of times is schedule-engine's, so a preview
 * says what will happen. A schedule's row is locked by whoever changes it, here as in the leader.
 */
@NullMarked
package io.jobscheduler.api.schedules;

import org.jspecify.annotations.NullMarked;
