/**
 * The recording half of the audit log: a resource method that changes something for a person or a
 * key is {@link io.jobscheduler.api.trail.Audited}, and so one transaction together with the row
 * that tells of it. Who acts is told by whoever authorises the caller. Must not know any feature;
 * the table's triggers (R__42_audit.sql) know what changed.
 */
@NullMarked
package io.jobscheduler.api.trail;

import org.jspecify.annotations.NullMarked;
