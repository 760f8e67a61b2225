package io.jobscheduler.localstack.chaos;

import io.jobscheduler.localstack.faults.FaultKind;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A fault that came about.
 *
 * @param at when it began
 * @param undoneAt when all was whole again
 * @param measured whether there was anything to measure
 * @param recovery how long the system took to go on without what was broken; nothing when it did
 *     not while that was looked at, or there is nothing to measure
 * @param stuck whether something did not go on while that was looked at
 */
record InjectedFault(
    FaultKind kind,
    String target,
    Instant at,
    Instant undoneAt,
    boolean measured,
    Optional<Duration> recovery,
    boolean stuck) {}
