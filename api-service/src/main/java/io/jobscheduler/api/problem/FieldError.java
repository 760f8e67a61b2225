package io.jobscheduler.api.problem;

/**
 * One bad value.
 *
 * @param pointer a JSON pointer into the body, or {@code ?name} for a query parameter
 * @param detail what is wrong, for the caller
 */
public record FieldError(String pointer, String detail) {}
