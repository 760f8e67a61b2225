/** Tests of the functions through which jobs change: claim, lease, settle, release, rescue. */
package io.jobscheduler.schema.jobs;
