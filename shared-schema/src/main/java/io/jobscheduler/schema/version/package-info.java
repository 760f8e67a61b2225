/**
 * Which schema a build of the services understands, and the gate that each passes before it works.
 * Only api-service's migrate mode changes the schema.
 */
@NullMarked
package io.jobscheduler.schema.version;

import org.jspecify.annotations.NullMarked;
