/** Tests of what breaks things. */
@NullMarked
package io.jobscheduler.localstack.faults;

import org.jspecify.annotations.NullMarked;
