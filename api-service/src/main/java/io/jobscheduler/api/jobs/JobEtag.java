package io.jobscheduler.api.jobs;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The entity tag of a job (RFC 9110, 8.8.3): which one, and the version of its row. Whatever
 * happens to the job changes it, a claim too.
 */
final class JobEtag {
  private static final Pattern TAG = Pattern.compile("\"(\\d+)-(\\d+)\"");

  private JobEtag() {}

  static String of(long id, String version) {
    return "\"" + id + "-" + version + "\"";
  }

  /** The versions that {@code ifMatch} accepts; null: any. */
  static @Nullable List<String> versions(@Nullable String ifMatch, long id) {
    if (ifMatch == null || ifMatch.strip().equals("*")) {
      return null;
    }
    return Arrays.stream(ifMatch.split(",", -1))
        .map(tag -> TAG.matcher(tag.strip()))
        .filter(tag -> tag.matches() && tag.group(1).equals(Long.toString(id)))
        .map((Matcher tag) -> tag.group(2))
        .toList();
  }
}
