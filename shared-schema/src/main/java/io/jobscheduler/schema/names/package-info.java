/**
 * Names that services share through Postgres: notification channels and advisory locks. Used by
 * every service; holds constants only.
 */
@NullMarked
package io.jobscheduler.schema.names;

import org.jspecify.annotations.NullMarked;
