/**
 * Errors over HTTP (RFC 9457): one enum of problem types, and the mappers that turn every failure
 * into one of them. Used by all resources; must not know any feature.
 */
@NullMarked
package io.jobscheduler.api.problem;

import org.jspecify.annotations.NullMarked;
