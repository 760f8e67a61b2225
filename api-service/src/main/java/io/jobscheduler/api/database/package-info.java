/**
 * Connections to Postgres and the mapper over them. Used by every store; must not know any table.
 */
@NullMarked
package io.jobscheduler.api.database;

import org.jspecify.annotations.NullMarked;
