/** Tests of the PostgreSQL server that the stack runs. */
@NullMarked
package io.jobscheduler.localstack.postgres;

import org.jspecify.annotations.NullMarked;
