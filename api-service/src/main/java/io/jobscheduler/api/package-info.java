/**
 * The REST API and the migrate mode. Takes jobs in and shows them; it never runs one and holds no
 * state of its own but caches. Each package is a feature with its resource, store and records.
 */
@NullMarked
package io.jobscheduler.api;

import org.jspecify.annotations.NullMarked;
