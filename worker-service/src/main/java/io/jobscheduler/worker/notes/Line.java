package io.jobscheduler.worker.notes;

/**
 * One line of an attempt's log.
 *
 * @param number its place in the attempt, from 1
 * @param level debug, info, warn or error
 * @param atNanos when it was said, by the monotonic clock
 * @param bytes of its text in UTF-8
 */
record Line(int number, String level, String text, long atNanos, int bytes) {}
