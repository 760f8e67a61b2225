package io.jobscheduler.worker.claim;

/** Where a job became ready. */
public record ReadyPlace(int queueId, int lane, Position position) {}
