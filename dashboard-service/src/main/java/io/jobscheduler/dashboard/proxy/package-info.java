/**
 * The API behind the dashboard's own origin: everything under {@code /api} and the public keys,
 * streamed to api-service and back.
 *
 * <p>Called by browsers; {@link io.jobscheduler.dashboard.proxy.ApiClient} also by {@code .live}.
 * Must not read, change, keep or judge what passes: api-service decides about tokens, sizes and
 * errors. When api-service is away it answers 502 or 504 itself, as problem+json.
 */
@NullMarked
package io.jobscheduler.dashboard.proxy;

import org.jspecify.annotations.NullMarked;
