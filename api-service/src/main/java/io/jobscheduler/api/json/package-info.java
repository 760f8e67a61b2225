/**
 * Strict reading of request bodies: one pass over the raw bytes that refuses what the platform
 * could not give back unchanged, and hands a payload out as the slice that was typed. Used by the
 * features' request readers; must not know jobs or HTTP routes.
 */
@NullMarked
package io.jobscheduler.api.json;

import org.jspecify.annotations.NullMarked;
