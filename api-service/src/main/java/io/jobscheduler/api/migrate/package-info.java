/**
 * The run-once migrate mode: schema, first signing key, first admin, default project. The only code
 * with DDL rights; called by the main class before HTTP starts, never by a normal start.
 */
@NullMarked
package io.jobscheduler.api.migrate;

import org.jspecify.annotations.NullMarked;
