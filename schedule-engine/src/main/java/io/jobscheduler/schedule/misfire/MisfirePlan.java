package io.jobscheduler.schedule.misfire;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a look at a schedule comes to.
 *
 * @param fires what runs now, oldest first
 * @param missed what was planned before them and does not run
 * @param lastPlanned the last planned time dealt with; where the next look goes on from
 * @param next the next planned time, after now; nothing if the schedule is over
 */
public record MisfirePlan(
    List<DueFire> fires,
    Optional<MissedRange> missed,
    Instant lastPlanned,
    Optional<Instant> next) {}
