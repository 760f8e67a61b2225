/** Tests of what the commands do to processes. */
@NullMarked
package io.jobscheduler.localstack.command;

import org.jspecify.annotations.NullMarked;
