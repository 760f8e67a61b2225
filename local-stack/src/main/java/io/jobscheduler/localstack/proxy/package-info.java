/**
 * A TCP proxy that can be told to misbehave: to swallow what passes, to be slow, to reset.
 *
 * <p>Called by the faults. Knows bytes only, not what they mean. Each process of a stack has one of
 * its own, so that one of them can be cut off while the others go on.
 */
@NullMarked
package io.jobscheduler.localstack.proxy;

import org.jspecify.annotations.NullMarked;
