package io.jobscheduler.api.trail;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A resource method of POST, PUT, PATCH or DELETE that is not recorded, and why. Each of these
 * methods has either this or {@link Audited}; a test fails otherwise.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Unaudited {
  /** The reason. */
  String value();
}
