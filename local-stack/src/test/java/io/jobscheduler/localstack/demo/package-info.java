/** Tests of reading, generating and judging workflows. */
@NullMarked
package io.jobscheduler.localstack.demo;

import org.jspecify.annotations.NullMarked;
