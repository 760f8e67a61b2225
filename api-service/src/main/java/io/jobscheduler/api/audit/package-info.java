/**
 * The reading half of the audit log: who changed what, for the admins of a project, and whether the
 * chain of hashes over it is whole. {@link io.jobscheduler.api.trail} writes it, the scheduler's
 * leader seals it.
 */
@NullMarked
package io.jobscheduler.api.audit;

import org.jspecify.annotations.NullMarked;
