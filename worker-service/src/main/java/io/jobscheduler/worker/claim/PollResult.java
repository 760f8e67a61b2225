package io.jobscheduler.worker.claim;

import java.util.List;

/**
 * What a poll read.
 *
 * @param queues all queues
 * @param notes the leader's notes of waiting work
 * @param found the first ready job of each lane looked into
 */
record PollResult(List<QueueInfo> queues, List<ReadyPlace> notes, List<ReadyPlace> found) {}
