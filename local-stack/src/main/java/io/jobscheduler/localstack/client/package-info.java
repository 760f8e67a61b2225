/**
 * A small client of the REST API, for the demo, the tests and the benchmarks. Knows the API from
 * outside only; answers are JSON trees, so that a test sees exactly what was sent.
 */
@NullMarked
package io.jobscheduler.localstack.client;

import org.jspecify.annotations.NullMarked;
