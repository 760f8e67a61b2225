/**
 * Who leads. Of several scheduler processes one holds the session advisory lock {@code
 * AdvisoryLocks.LEADERSHIP} on a direct connection of its own; the others try for it each second in
 * autocommit.
 *
 * <p>Authority is not the lock but the epoch in table {@code leadership}: taking over raises it,
 * and every leader transaction locks the row of its epoch {@code FOR KEY SHARE} first. Raising the
 * epoch changes the key, so it waits for those transactions and stops later ones; the renewal
 * changes another column and waits for nobody.
 *
 * <p>Timing: renewal each second while every loop turns; a standby that sees a renewal older than
 * 10 s ends the holder's session, takes the lock and raises the epoch. A killed leader's session
 * ends with its socket, so a standby leads within 3 s; a half-open session is freed by the server
 * after 9 s. A leader transaction lasts at most 5 s.
 *
 * <p>On failure: a lost lock connection ends the term at once, and the process stands by again.
 *
 * <p>Called by every loop of the leader; must not know what they do.
 */
@NullMarked
package io.jobscheduler.scheduler.leadership;

import org.jspecify.annotations.NullMarked;
