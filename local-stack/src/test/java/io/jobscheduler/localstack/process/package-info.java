/** Tests of starting, signalling and finding processes. */
@NullMarked
package io.jobscheduler.localstack.process;

import org.jspecify.annotations.NullMarked;
