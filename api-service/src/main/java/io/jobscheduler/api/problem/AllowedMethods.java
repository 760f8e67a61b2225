package io.jobscheduler.api.problem;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.Path;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Which methods a path knows, from the annotations of the resources: the router answers 404 where
 * another resource's path is a prefix, and names no methods with 405. Thread-safe.
 */
@ApplicationScoped
public class AllowedMethods {
  private record Route(Pattern path, String method) {}

  private final List<Route> routes = new ArrayList<>();

  AllowedMethods(BeanManager beans) {
    beans.getBeans(Object.class, Any.Literal.INSTANCE).stream()
        .map(bean -> bean.getBeanClass())
        .filter(type -> type.isAnnotationPresent(Path.class))
        .distinct()
        .forEach(this::read);
  }

  private void read(Class<?> resource) {
    String prefix = resource.getAnnotation(Path.class).value();
    for (Method method : resource.getDeclaredMethods()) {
      Path path = method.getAnnotation(Path.class);
      Pattern pattern = pattern(path == null ? prefix : prefix + path.value());
      Arrays.stream(method.getAnnotations())
          .map(a -> Optional.ofNullable(a.annotationType().getAnnotation(HttpMethod.class)))
          .flatMap(Optional::stream)
          .forEach(m -> routes.add(new Route(pattern, m.value())));
    }
  }

  private static Pattern pattern(String template) {
    StringBuilder pattern = new StringBuilder();
    for (String segment : template.split("/", -1)) {
      if (!segment.isEmpty()) {
        pattern.append('/').append(segment.startsWith("{") ? "[^/]+" : Pattern.quote(segment));
      }
    }
    return Pattern.compile(pattern.append("/?").toString());
  }

  /** The methods of a path, sorted; empty when it is none of ours. */
  SortedSet<String> of(String path) {
    SortedSet<String> methods = new TreeSet<>();
    for (Route route : routes) {
      if (route.path().matcher(path).matches()) {
        methods.add(route.method());
      }
    }
    return methods;
  }
}
