package io.jobscheduler.api.jobs;

import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.core.JsonGenerator;
import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * What a job carries for people and their tools: the platform runs none of it.
 *
 * @param tags at most 20 names, sorted, each once
 * @param metadata a JSON object as it was typed, at most 16 KiB; null when there is none
 * @param traceparent the W3C trace context under which it was handed in; null when there was none
 */
public record JobExtras(
    List<String> tags,
    @JsonRawValue @Schema(ref = "AnyJson") @Nullable String metadata,
    @Nullable String traceparent) {
  /** Of a job that carries nothing. */
  public static final JobExtras NONE = new JobExtras(List.of(), null, null);

  static final int MOST_METADATA_BYTES = 16 * 1024;
  private static final int MOST_TAGS = 20;

  JobExtras withTraceparent(@Nullable String given) {
    return new JobExtras(tags, metadata, given);
  }

  private JobExtras withTags(List<String> given) {
    return new JobExtras(given, metadata, traceparent);
  }

  private JobExtras withMetadata(@Nullable String given) {
    return new JobExtras(tags, given, traceparent);
  }

  /** These with the value of {@code field}, if it is one of them; else null and nothing is read. */
  public static @Nullable JobExtras take(JsonReader in, String field, JobExtras before) {
    return switch (field) {
      case "tags" -> before.withTags(readTags(in));
      case "metadata" -> before.withMetadata(readMetadata(in));
      default -> null;
    };
  }

  /** Writes what there is of tags and metadata as fields of the object that {@code out} is in. */
  public void write(JsonGenerator out) throws IOException {
    if (!tags.isEmpty()) {
      out.writeArrayFieldStart("tags");
      for (String tag : tags) {
        out.writeString(tag);
      }
      out.writeEndArray();
    }
    if (metadata != null) {
      out.writeFieldName("metadata");
      out.writeRawValue(metadata);
    }
  }

  /** Tags of an array; what is none is noted. */
  static List<String> readTags(JsonReader in) {
    Set<String> tags = new TreeSet<>();
    if (!in.startArray()) {
      return List.of();
    }
    int items = 0;
    while (in.nextItem()) {
      items++;
      String tag = Fields.name(in);
      if (tag != null && items <= MOST_TAGS) {
        tags.add(tag);
      }
    }
    if (items > MOST_TAGS) {
      in.reject("At most " + MOST_TAGS + " tags are accepted.");
    }
    return new ArrayList<>(tags);
  }

  /** An object as it was typed; null when absent or, noted, something else. */
  private static @Nullable String readMetadata(JsonReader in) {
    String text = in.verbatim(MOST_METADATA_BYTES);
    if (text.equals("null")) {
      return null;
    }
    if (!text.startsWith("{")) {
      in.reject("Expected an object.");
      return null;
    }
    return text;
  }
}
