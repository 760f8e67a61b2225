package io.jobscheduler.api.access;

import java.time.Instant;

/** A user as the API shows it. */
public record UserRow(
    long id, String email, String name, boolean platformAdmin, Instant createdAt) {}
