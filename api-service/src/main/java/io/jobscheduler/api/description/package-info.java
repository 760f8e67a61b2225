/**
 * What the OpenAPI document says beyond the resources' own annotations, derived at build time by
 * rules: the problems, which members are always there, which may be null, and examples. Called by
 * the build only; must not know any feature.
 */
@NullMarked
package io.jobscheduler.api.description;

import org.jspecify.annotations.NullMarked;
