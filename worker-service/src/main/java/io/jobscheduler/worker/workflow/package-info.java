/**
 * What a running attempt may ask of the graph around its job: its parents' results, and jobs
 * downstream of itself. Called on slots' threads by handlers; at most two of them use connections
 * at a time, so that claims and settles are never short of one. It must not know how attempts end.
 *
 * <p>Every statement is fenced by the lease token. On failure: the handler gets the exception, and
 * its attempt fails unless it knows better; nothing is half done.
 */
@NullMarked
package io.jobscheduler.worker.workflow;

import org.jspecify.annotations.NullMarked;
