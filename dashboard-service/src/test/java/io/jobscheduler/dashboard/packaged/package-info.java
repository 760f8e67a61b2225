/**
 * Tests of the packaged service: the real process, a real PostgreSQL, and a tiny api-service of the
 * test, which signs tokens with a key of its own.
 */
package io.jobscheduler.dashboard.packaged;
