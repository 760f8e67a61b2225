package io.jobscheduler.api.access;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Body of a new API key.
 *
 * @param scopes at least one of enqueue, read, operate, lease
 * @param queues patterns, {@code *} for any characters; null: every queue
 * @param expiresAt null: never
 */
@Schema(name = "ApiKeyRequest")
public record KeyRequest(
    @Schema(minLength = 1, maxLength = LONGEST_NAME) String name,
    @Schema(description = "of enqueue, read, operate, lease") List<String> scopes,
    @Schema(description = "patterns of names, * for any characters; absent: every queue")
        @Nullable List<String> queues,
    @Schema(defaultValue = "false") boolean payloadVisible,
    @Nullable Instant expiresAt) {
  private static final int LONGEST_NAME = 100;
  private static final int MOST_PATTERNS = 50;
  private static final Pattern QUEUE = Pattern.compile("[A-Za-z0-9._:*-]{1,128}");

  static @Nullable KeyRequest read(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    String name = null;
    List<String> scopes = null;
    List<String> queues = null;
    boolean payloadVisible = false;
    Instant expiresAt = null;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "name" -> name = Fields.text(in, 1, LONGEST_NAME);
        case "scopes" -> scopes = scopes(in);
        case "queues" -> queues = queues(in);
        case "payloadVisible" -> payloadVisible = Boolean.TRUE.equals(in.bool());
        case "expiresAt" -> expiresAt = Fields.instant(in);
        default -> in.unknownField();
      }
    }
    in.violations().require("/name", name != null);
    in.violations().require("/scopes", scopes != null && !scopes.isEmpty());
    return name == null || scopes == null
        ? null
        : new KeyRequest(name, scopes, queues, payloadVisible, expiresAt);
  }

  private static List<String> scopes(JsonReader in) {
    List<String> scopes = new ArrayList<>();
    if (in.startArray()) {
      while (in.nextItem()) {
        String scope = in.string();
        if (scope != null && !Scope.isLabel(scope)) {
          in.reject("Expected enqueue, read, operate or lease.");
        } else if (scope != null && !scopes.contains(scope)) {
          scopes.add(scope);
        }
      }
    }
    return scopes;
  }

  /** The patterns; null, as when it is absent: every queue. */
  private static @Nullable List<String> queues(JsonReader in) {
    List<String> queues = new ArrayList<>();
    int before = in.violations().count();
    if (!in.startArray()) {
      return null;
    }
    while (in.nextItem()) {
      String pattern = in.string();
      if (pattern != null && !QUEUE.matcher(pattern).matches()) {
        in.reject("Expected a queue's name, with * for any characters.");
      } else if (pattern != null && queues.size() == MOST_PATTERNS) {
        in.reject("There may be " + MOST_PATTERNS + " patterns.");
      } else if (pattern != null) {
        queues.add(pattern);
      }
    }
    if (queues.isEmpty() && in.violations().count() == before) {
      in.reject("Name at least one queue, or leave the field out for all.");
    }
    return queues;
  }
}
