/**
 * The orderly end: stop claiming, give back what has not started, let run what runs up to the drain
 * limit, settle, say good-bye, exit 0.
 */
@NullMarked
package io.jobscheduler.worker.shutdown;

import org.jspecify.annotations.NullMarked;
