package io.jobscheduler.api.access;

import io.jobscheduler.api.json.Fields;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** From values of a claim to roles, as {@link OidcConfig#roles} is written. Immutable. */
final class RoleMapping {
  private static final String PLATFORM_ADMIN = "platform-admin";
  private static final String NO_PAYLOADS = ":no-payloads";

  private final Map<String, List<MappedRole>> roles = new HashMap<>();
  private final String[] path;

  /**
   * Reads the configuration.
   *
   * @throws IllegalArgumentException naming the entry that is none
   */
  RoleMapping(String claim, List<String> entries) {
    this.path = claim.split("/", -1);
    for (String entry : entries) {
      // A value may hold an = itself, what it gives cannot.
      int equals = entry.lastIndexOf('=');
      if (equals < 1) {
        throw unusable(entry);
      }
      roles
          .computeIfAbsent(entry.substring(0, equals).strip(), v -> new ArrayList<>())
          .add(target(entry, entry.substring(equals + 1).strip()));
    }
  }

  private static MappedRole target(String entry, String target) {
    if (target.equals(PLATFORM_ADMIN)) {
      return new MappedRole(null, null, true);
    }
    boolean payloads = !target.endsWith(NO_PAYLOADS);
    String rest = payloads ? target : target.substring(0, target.length() - NO_PAYLOADS.length());
    int colon = rest.lastIndexOf(':');
    String project = colon < 1 ? "" : rest.substring(0, colon);
    String role = rest.substring(colon + 1);
    if (!Role.isLabel(role) || !(project.equals("*") || Fields.isName(project))) {
      throw unusable(entry);
    }
    return new MappedRole(project.equals("*") ? null : project, Role.of(role), payloads);
  }

  private static IllegalArgumentException unusable(String entry) {
    return new IllegalArgumentException(
        "jobs.oidc.roles: expected value=project:role, value=*:role or value=platform-admin,"
            + " not: "
            + entry);
  }

  /** What a token's claims give. */
  List<MappedRole> of(Map<String, Object> claims) {
    Object value = claims;
    for (String step : path) {
      value = value instanceof Map<?, ?> map ? map.get(step) : null;
    }
    return texts(value).stream()
        .flatMap(text -> roles.getOrDefault(text, List.of()).stream())
        .toList();
  }

  private static List<String> texts(@Nullable Object value) {
    if (value instanceof Collection<?> many) {
      return many.stream().filter(String.class::isInstance).map(String.class::cast).toList();
    }
    return value instanceof String words ? Arrays.asList(words.split("\\s+", -1)) : List.of();
  }
}
