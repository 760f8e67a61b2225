/**
 * Log lines and progress of running attempts, on their way into the database. Handlers write into
 * books that cost nothing until they are used; one thread per tenure writes what has gathered, at
 * most once a second, over an ordinary connection of the pool and never the heartbeat's. Fenced by
 * lease in the database. Failing or being slow here never touches a handler or a settle: the books
 * are bounded and keep the newest.
 */
@NullMarked
package io.jobscheduler.worker.notes;

import org.jspecify.annotations.NullMarked;
