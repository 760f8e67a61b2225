package io.jobscheduler.deploy;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The settings that a service reads, as environment variables: from its {@code @ConfigMapping}
 * interfaces and its application.properties, read as text.
 */
record ServiceKeys(Map<String, String> defaults, String properties) {
  private static final Pattern MAPPING =
      Pattern.compile("@ConfigMapping\\(prefix = \"([a-z.-]+)\"\\)");
  // An abstract method of an interface, indented so far, with the annotations before it.
  private static final String METHOD = "((?:^%1$s@.*\\n)*)^%1$s([\\w.<>]+) (\\w+)\\(\\);$";
  private static final String GROUP = "^  interface %s \\{$(.*?)^  \\}$";
  private static final Pattern DEFAULT = Pattern.compile("@WithDefault\\(\"([^\"]*)\"\\)");
  private static final Pattern OWN_NAME = Pattern.compile("@WithName\\(\"([^\"]*)\"\\)");
  private static final Pattern REFERENCE = Pattern.compile("\\$\\{(jobs\\.[a-z.-]+)[:}]");

  private static final Map<String, ServiceKeys> READ = new ConcurrentHashMap<>();

  /** Those of a module such as `api-service`. */
  static ServiceKeys of(String module) {
    return READ.computeIfAbsent(module, ServiceKeys::read);
  }

  private static ServiceKeys read(String module) {
    Map<String, String> defaults = new TreeMap<>();
    for (var file : Repository.files(module + "/src/main/java", ".java")) {
      addMapping(Repository.read(file), defaults);
    }
    String properties = "";
    for (var file : Repository.files(module + "/src/main/resources", "application.properties")) {
      properties = Repository.read(file);
    }
    Matcher reference = REFERENCE.matcher(properties);
    while (reference.find()) {
      defaults.putIfAbsent(variable(reference.group(1)), "");
    }
    return new ServiceKeys(defaults, properties);
  }

  static void addMapping(String source, Map<String, String> defaults) {
    Matcher mapping = MAPPING.matcher(source);
    if (mapping.find()) {
      addMethods(mapping.group(1), source, source, "  ", defaults);
    }
  }

  private static void addMethods(
      String prefix, String body, String source, String indent, Map<String, String> defaults) {
    Matcher method = Pattern.compile(METHOD.formatted(indent), Pattern.MULTILINE).matcher(body);
    while (method.find()) {
      String annotations = method.group(1);
      Matcher ownName = OWN_NAME.matcher(annotations);
      String key = prefix + "." + (ownName.find() ? ownName.group(1) : kebab(method.group(3)));
      Matcher group =
          Pattern.compile(
                  GROUP.formatted(Pattern.quote(method.group(2))),
                  Pattern.MULTILINE | Pattern.DOTALL)
              .matcher(source);
      if (group.find()) {
        addMethods(key, group.group(1), source, "    ", defaults);
      } else {
        Matcher value = DEFAULT.matcher(annotations);
        defaults.put(variable(key), value.find() ? value.group(1) : "");
      }
    }
  }

  boolean reads(String variable) {
    return defaults.containsKey(variable);
  }

  Optional<String> defaultOf(String variable) {
    return Optional.ofNullable(defaults.get(variable)).filter(value -> !value.isEmpty());
  }

  /** The value of a line of application.properties. */
  Optional<String> property(String key) {
    Matcher line =
        Pattern.compile("^" + Pattern.quote(key) + "=(.*)$", Pattern.MULTILINE).matcher(properties);
    return line.find() ? Optional.of(line.group(1)) : Optional.empty();
  }

  private static String kebab(String method) {
    return method.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  private static String variable(String key) {
    return key.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT);
  }
}
