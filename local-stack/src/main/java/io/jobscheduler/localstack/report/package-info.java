/**
 * What a chaos run tells: chaos-report.json for programs, chaos-report.html for people.
 *
 * <p>Called by the chaos command.
 */
@NullMarked
package io.jobscheduler.localstack.report;

import org.jspecify.annotations.NullMarked;
