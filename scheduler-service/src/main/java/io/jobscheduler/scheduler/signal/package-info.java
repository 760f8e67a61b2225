/**
 * What the leader tells others by NOTIFY: jobs that became claimable, and topics that changed for
 * the dashboard. Called by the loops after their transactions have committed. A lost signal costs
 * time, never a job: whoever listens also polls.
 */
@NullMarked
package io.jobscheduler.scheduler.signal;

import org.jspecify.annotations.NullMarked;
