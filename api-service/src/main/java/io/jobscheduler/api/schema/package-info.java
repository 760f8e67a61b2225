/**
 * Whether the database's schema fits this build: readiness, and the end of a process that a
 * breaking migration has overtaken.
 */
@NullMarked
package io.jobscheduler.api.schema;

import org.jspecify.annotations.NullMarked;
