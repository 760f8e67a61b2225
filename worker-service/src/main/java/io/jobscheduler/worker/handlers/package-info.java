/**
 * What runs: the handler interface, the outcomes it may answer with, the registry by type, and the
 * built-in handlers. A handler must not know the database, the claim or the lease protocol.
 */
@NullMarked
package io.jobscheduler.worker.handlers;

import org.jspecify.annotations.NullMarked;
