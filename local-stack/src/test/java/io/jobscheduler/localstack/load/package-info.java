/** Tests of what the load asks for and takes for an answer. */
@NullMarked
package io.jobscheduler.localstack.load;

import org.jspecify.annotations.NullMarked;
