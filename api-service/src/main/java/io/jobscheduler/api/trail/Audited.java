package io.jobscheduler.api.trail;

import io.jobscheduler.api.json.JsonBody;
import jakarta.enterprise.util.Nonbinding;
import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A resource method whose change is recorded. The whole method is one transaction, which commits
 * only together with an audit row; signals to other processes wait for it. The action is the
 * operation's id; where no trigger knows what changed, the object is the ids of the path.
 */
@InterceptorBinding
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Audited {
  /** The kind of object that is changed, in kebab-case. */
  @Nonbinding
  String value() default "";

  /**
   * Whether a refusal, too, leaves something behind that must stay: a problem that the method
   * throws commits. Only where nothing is half done by then.
   */
  @Nonbinding
  boolean keepsRefusals() default false;

  /**
   * Whether the method does what takes long, reads a large body, or holds locks of its own, before
   * its transaction, which it then makes itself by {@link AuditTrail#change}.
   */
  @Nonbinding
  boolean opensItself() default false;

  /**
   * The largest body; it is read whole before the transaction begins, and so before the caller's
   * role is known. A method that opens its transaction itself reads it itself.
   */
  @Nonbinding
  int mostBytes() default JsonBody.SMALL;
}
