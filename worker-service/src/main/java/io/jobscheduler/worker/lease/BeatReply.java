package io.jobscheduler.worker.lease;

import java.util.List;

/**
 * What a beat learns.
 *
 * @param alive false when this incarnation is lost or stopped, for good
 * @param cancels ids of its jobs that somebody wants to end
 * @param drain whether somebody wants it to claim nothing more
 */
public record BeatReply(boolean alive, List<Long> cancels, boolean drain) {}
