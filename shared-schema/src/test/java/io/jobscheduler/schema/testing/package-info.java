/**
 * The test fixture of all modules (published as a test-jar): a real PostgreSQL, the migrated
 * template, and a database of its own for each test.
 */
package io.jobscheduler.schema.testing;
