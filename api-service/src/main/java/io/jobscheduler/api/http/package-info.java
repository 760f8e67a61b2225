/**
 * What every answer has in common: how values are written as JSON, and the headers. Must not know
 * any feature.
 */
@NullMarked
package io.jobscheduler.api.http;

import org.jspecify.annotations.NullMarked;
