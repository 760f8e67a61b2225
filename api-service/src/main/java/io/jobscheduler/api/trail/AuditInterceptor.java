package io.jobscheduler.api.trail;

import io.jobscheduler.api.database.AfterCommit;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.problem.ProblemException;
import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Makes an {@link Audited} method one transaction with its audit row. */
@Audited
@Interceptor
@Priority(Interceptor.Priority.APPLICATION)
class AuditInterceptor {
  private static final int FIRST_ERROR = 400;

  /** The header of an answer that is given again: nothing was changed this time. */
  private static final String REPLAYED = "Idempotent-Replayed";

  private final Jdbi jdbi;
  private final AuditTrail trail;
  private final BeforeChange before;

  AuditInterceptor(Jdbi jdbi, AuditTrail trail, BeforeChange before) {
    this.jdbi = jdbi;
    this.before = before;
    this.trail = trail;
  }

  /** What the method answered, or the refusal that it threw. */
  private record Outcome(@Nullable Object answer, @Nullable ProblemException refusal) {}

  // The stores' own transactions join this one: Jdbi gives each call on this thread the handle that
  // is open.
  @AroundInvoke
  @Nullable Object record(InvocationContext call) throws Exception {
    before.beforeChange();
    Method method = call.getMethod();
    trail.of(method.getAnnotation(Operation.class).operationId());
    if (method.getAnnotation(Audited.class).opensItself()) {
      return call.proceed();
    }
    readBody(call);
    Outcome outcome = AfterCommit.of(() -> jdbi.inTransaction(h -> recorded(call, h)));
    if (outcome.refusal() != null) {
      throw outcome.refusal();
    }
    return outcome.answer();
  }

  // A client that sends its body slowly, or never, would keep a connection of the pool meanwhile.
  private static void readBody(InvocationContext call) {
    @Nullable Object[] arguments = call.getParameters();
    for (int i = 0; i < arguments.length; i++) {
      if (arguments[i] instanceof InputStream body) {
        int most = call.getMethod().getAnnotation(Audited.class).mostBytes();
        arguments[i] = new ByteArrayInputStream(JsonBody.bytes(body, most));
      }
    }
    call.setParameters(arguments);
  }

  private Outcome recorded(InvocationContext call, Handle transaction) throws Exception {
    Method method = call.getMethod();
    Audited audited = method.getAnnotation(Audited.class);
    trail.begin(transaction);
    try {
      Object answer = call.proceed();
      if (isChange(answer)) {
        trail.end(audited.value(), objectOf(method, call.getParameters()));
      }
      return new Outcome(answer, null);
    } catch (ProblemException e) {
      if (audited.keepsRefusals()) {
        return new Outcome(null, e);
      }
      throw e;
    }
  }

  private static boolean isChange(@Nullable Object answer) {
    Object entity = answer;
    if (answer instanceof Response response) {
      if (response.getStatus() >= FIRST_ERROR || response.getHeaders().containsKey(REPLAYED)) {
        return false;
      }
      entity = response.getEntity();
    }
    return !(entity instanceof Rehearsal rehearsal) || !rehearsal.dryRun();
  }

  /** The ids of the path, without the project, joined by a slash; empty when there is none. */
  private static String objectOf(Method method, @Nullable Object[] arguments) {
    List<String> ids = new ArrayList<>();
    Annotation[][] annotations = method.getParameterAnnotations();
    for (int i = 0; i < arguments.length; i++) {
      for (Annotation annotation : annotations[i]) {
        if (annotation instanceof PathParam param && !param.value().equals("project")) {
          ids.add(String.valueOf(arguments[i]));
        }
      }
    }
    return String.join("/", ids);
  }
}
