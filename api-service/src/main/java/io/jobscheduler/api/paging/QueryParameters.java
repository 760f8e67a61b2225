package io.jobscheduler.api.paging;

import io.jobscheduler.api.problem.Violations;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ResourceInfo;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;

/**
 * Refuses query parameters that the resource does not declare, repeated single ones, and empty
 * ones. One declared as {@code name.*} stands for all that begin with {@code name.}, and may be
 * empty.
 */
public final class QueryParameters {
  // Bounded by the number of resource methods.
  private final Map<Method, Map<String, Boolean>> declared = new ConcurrentHashMap<>();

  @ServerRequestFilter
  void check(ContainerRequestContext request, ResourceInfo resource) {
    Map<String, List<String>> given = request.getUriInfo().getQueryParameters();
    if (given.isEmpty()) {
      return;
    }
    Map<String, Boolean> known =
        declared.computeIfAbsent(resource.getResourceMethod(), QueryParameters::read);
    Violations violations = new Violations();
    given.forEach(
        (name, values) -> {
          boolean named = known.containsKey(name);
          Boolean repeatable = named ? known.get(name) : known.get(family(name));
          if (repeatable == null) {
            violations.addUnknown(
                "?" + name,
                "The query parameter \"" + name + "\" is not known here" + choice(known.keySet()));
          } else if (values.size() > 1 && !repeatable) {
            violations.add("?" + name, "This query parameter may be given once.");
          } else if (named && values.contains("")) {
            // Read as absent, it would quietly widen what was asked for.
            violations.add("?" + name, "This query parameter is empty; leave it out, or say more.");
          }
        });
    violations.throwIfAny();
  }

  /** What declares {@code payload.order.id} and the like: {@code payload.*}. */
  private static String family(String name) {
    return name.substring(0, name.indexOf('.') + 1) + "*";
  }

  private static String choice(Set<String> known) {
    return known.isEmpty()
        ? "."
        : "; there are " + known.stream().sorted().collect(Collectors.joining(", ")) + ".";
  }

  private static Map<String, Boolean> read(Method method) {
    return Stream.of(method.getParameters())
        .filter(p -> p.isAnnotationPresent(QueryParam.class))
        .collect(
            Collectors.toUnmodifiableMap(
                p -> p.getAnnotation(QueryParam.class).value(),
                p -> List.class.isAssignableFrom(p.getType())));
  }
}
