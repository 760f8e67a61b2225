/** The fleet as one project sees it: the workers whose patterns match one of its queues. */
@NullMarked
package io.jobscheduler.api.workers;

import org.jspecify.annotations.NullMarked;
