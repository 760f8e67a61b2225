package io.jobscheduler.api;

import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.Path;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** The resource methods of the service, found in its classes. */
public final class Resources {
  private static final String ROOT = "io.jobscheduler.api";

  private Resources() {}

  /** One of them. */
  public record Endpoint(String id, String verb, Method method) {
    /** Whether it is there to change something. */
    public boolean changes() {
      return !verb.equals("GET");
    }
  }

  /** All, by their operation's id. */
  public static List<Endpoint> all() {
    List<Endpoint> all = new ArrayList<>();
    ClassLoader loader = ApiService.class.getClassLoader();
    try {
      Set<String> names = new TreeSet<>();
      for (URL folder : Collections.list(loader.getResources(ROOT.replace('.', '/')))) {
        java.nio.file.Path root = java.nio.file.Path.of(folder.toURI());
        try (Stream<java.nio.file.Path> files = Files.walk(root)) {
          files
              .map(f -> root.relativize(f).toString().replace('/', '.'))
              .filter(f -> f.endsWith("Resource.class"))
              .forEach(f -> names.add(ROOT + "." + f.replaceAll("\\.class$", "")));
        }
      }
      for (String name : names) {
        read(Class.forName(name, false, loader), all);
      }
    } catch (IOException | URISyntaxException | ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
    all.sort(Comparator.comparing(Endpoint::id));
    return all;
  }

  private static void read(Class<?> type, List<Endpoint> all) {
    if (!type.isAnnotationPresent(Path.class)) {
      return;
    }
    for (Method method : type.getDeclaredMethods()) {
      for (Annotation annotation : method.getAnnotations()) {
        HttpMethod verb = annotation.annotationType().getAnnotation(HttpMethod.class);
        if (verb != null) {
          Operation operation = method.getAnnotation(Operation.class);
          all.add(
              new Endpoint(
                  operation == null ? method.toString() : operation.operationId(),
                  verb.value(),
                  method));
        }
      }
    }
  }
}
