/** Tests of chaos runs. */
@NullMarked
package io.jobscheduler.localstack.chaos;

import org.jspecify.annotations.NullMarked;
