/**
 * The four services as they are packaged: which jar, which environment, when ready.
 *
 * <p>Called by the stack. Knows the services only from outside: their file, their environment
 * variables, their health address.
 */
@NullMarked
package io.jobscheduler.localstack.service;

import org.jspecify.annotations.NullMarked;
