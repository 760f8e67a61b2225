package io.jobscheduler.api.statistics;

/** Seconds that half, 95 and 99 of a hundred did not exceed, each true to within a factor of √2. */
public record Percentiles(double p50, double p95, double p99) {}
