/**
 * Operating system processes: started out of reach of the terminal's Ctrl-C, signalled, waited for,
 * and found again by a later run through their pid files.
 *
 * <p>Called by everything here that starts something. Knows nothing of PostgreSQL or of the
 * services. A process is only ever signalled by a handle whose start time fits the one that was
 * written down, so a pid that the system has given to somebody else is left alone.
 */
@NullMarked
package io.jobscheduler.localstack.process;

import org.jspecify.annotations.NullMarked;
