/**
 * The vocabulary of a job's life: its states and the transitions between them. Used by every
 * service; knows nothing of rows, HTTP or Java queries.
 */
@NullMarked
package io.jobscheduler.schema.state;

import org.jspecify.annotations.NullMarked;
