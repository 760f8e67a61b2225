/** What services have to say of failures in the same way. */
@org.jspecify.annotations.NullMarked
package io.jobscheduler.schema.failure;
