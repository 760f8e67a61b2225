/**
 * Bulk actions: one action on all jobs that a filter names, as an object of its own with a count
 * beforehand, progress, abort and undo. Here they are asked for and shown; the leader carries them
 * out (R__43_bulk_actions.sql says by which rules). The filter is read by the list of jobs' reader.
 * Must not touch a job.
 */
@NullMarked
package io.jobscheduler.api.bulk;

import org.jspecify.annotations.NullMarked;
