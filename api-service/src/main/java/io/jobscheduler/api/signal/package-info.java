/**
 * NOTIFY to workers, scheduler and dashboard after a commit, coalesced. Losing one costs time only.
 */
@NullMarked
package io.jobscheduler.api.signal;

import org.jspecify.annotations.NullMarked;
