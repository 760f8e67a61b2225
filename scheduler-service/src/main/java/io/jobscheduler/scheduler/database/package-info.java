/**
 * How this process reaches Postgres: the pooled address through Quarkus' data source, the direct
 * one for the leader's session lock and LISTEN. Called by every feature; knows no table.
 */
@NullMarked
package io.jobscheduler.scheduler.database;

import org.jspecify.annotations.NullMarked;
