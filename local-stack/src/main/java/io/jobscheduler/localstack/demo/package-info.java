/**
 * Real workflows as jobs that only sleep: read or made up, submitted, watched, judged.
 *
 * <p>Behind {@code make demo}, and used by the end-to-end tests, which run the same graphs. Knows
 * the system through its REST API only.
 */
@NullMarked
package io.jobscheduler.localstack.demo;

import org.jspecify.annotations.NullMarked;
