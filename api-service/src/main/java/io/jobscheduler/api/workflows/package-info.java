/**
 * Workflows: a graph of jobs submitted at once. Refuses cycles and names them; the plan (levels,
 * ranks) is the scheduler's to make.
 */
@NullMarked
package io.jobscheduler.api.workflows;

import org.jspecify.annotations.NullMarked;
