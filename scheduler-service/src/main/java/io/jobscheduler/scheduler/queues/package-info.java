/**
 * What an operator asked of a queue and the leader carries out: pauses that end by themselves, and
 * switches of ageing, which give each waiting job its new place in bounded steps. Authority: the
 * leader, in leader transactions; the queue's row remembers how far a switch came.
 *
 * <p>Timing: the agenda's look each second tells of both. On failure: the round is repeated; a
 * queue whose step fails is reported, passed over with growing pauses, and holds up no other.
 */
@NullMarked
package io.jobscheduler.scheduler.queues;

import org.jspecify.annotations.NullMarked;
