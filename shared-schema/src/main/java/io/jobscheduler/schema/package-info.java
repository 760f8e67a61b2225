/**
 * The database contract: what the services share, since they share only Postgres. Depends on
 * nothing but {@code java.sql}; never holds a query of a feature, a row record or a framework.
 */
@NullMarked
package io.jobscheduler.schema;

import org.jspecify.annotations.NullMarked;
