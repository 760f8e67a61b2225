package io.jobscheduler.worker.claim;

import org.jspecify.annotations.Nullable;

/** A row that this worker holds by the record. */
record HeldRow(long id, long leaseToken, long claimNumber, @Nullable Integer workflowId) {}
