/**
 * A diagnostic, off unless a folder is given: what handlers did, written outside of the database,
 * so that records can be judged by something that is not a record.
 *
 * <p>Stands around every handler. It must not know the database, and costs nothing when it is off.
 */
@NullMarked
package io.jobscheduler.worker.effects;

import org.jspecify.annotations.NullMarked;
