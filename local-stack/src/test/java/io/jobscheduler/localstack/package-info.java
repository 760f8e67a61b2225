/**
 * End-to-end tests: the four packaged services as processes on an embedded PostgreSQL, seen from
 * outside: over HTTP, in a browser, from the records in the database.
 *
 * <p>All classes share one stack (see {@link io.jobscheduler.localstack.SharedStack}); each test
 * has a project of its own in it, and leaves one running process of each service behind.
 */
@NullMarked
package io.jobscheduler.localstack;

import org.jspecify.annotations.NullMarked;
