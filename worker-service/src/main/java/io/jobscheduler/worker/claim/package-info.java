/**
 * From waiting rows to claimed jobs: which queues are served, how many jobs to take from which
 * (Deficit Round Robin), from where the scan starts (remembered heads), and the one thread that
 * claims.
 *
 * <p>Authority: only the function {@code jobs.claim} decides what is claimed; everything remembered
 * here is a hint about where to look, and a wrong hint costs a second, never a job. Timing: a freed
 * slot or a wake-up at once, a poll each second, a comparison with the record every five seconds
 * and after each error. On failure: refund, back off up to a second, compare with the record. It
 * must not know how a job is run or settled.
 */
@NullMarked
package io.jobscheduler.worker.claim;

import org.jspecify.annotations.NullMarked;
