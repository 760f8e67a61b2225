/**
 * What the tests of this service share: awaiting, configuration, a rig of plain objects, processes.
 */
package io.jobscheduler.scheduler.testing;
