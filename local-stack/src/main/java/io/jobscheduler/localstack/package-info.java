/**
 * The whole system on one machine: an embedded PostgreSQL and the four packaged services as real
 * processes.
 *
 * <p>Behind {@code make up}, {@code make demo} and {@code make down}, and under the end-to-end
 * tests and the benchmarks, so that what a newcomer sees and what the tests test is what is
 * deployed. Knows the services from outside only: their jar, their environment variables, their
 * addresses. Not shipped.
 */
@NullMarked
package io.jobscheduler.localstack;

import org.jspecify.annotations.NullMarked;
