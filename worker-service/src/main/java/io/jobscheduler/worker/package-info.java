/**
 * The worker process: it starts one {@link io.jobscheduler.worker.Tenure} after the other, each
 * under an incarnation of its own, until it is told to stop.
 *
 * <p>Here the parts are put together and nowhere else. A tenure's parts are plain classes that take
 * connections, clocks and settings by constructor; only this package and {@code .health} know
 * Quarkus. A part must not keep anything alive over the end of its tenure.
 */
@NullMarked
package io.jobscheduler.worker;

import org.jspecify.annotations.NullMarked;
