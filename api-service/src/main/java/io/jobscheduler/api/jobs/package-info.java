/**
 * Jobs: enqueue one or many, read, list, count. Inserts what is handed in and reads; what happens
 * to a job afterwards is written by workers and the leader, never here.
 */
@NullMarked
package io.jobscheduler.api.jobs;

import org.jspecify.annotations.NullMarked;
