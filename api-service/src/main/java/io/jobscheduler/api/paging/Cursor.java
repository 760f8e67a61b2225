package io.jobscheduler.api.paging;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** The opaque place in a list after which the next page begins. */
public final class Cursor {
  private static final String VERSION = "1:";

  private Cursor() {}

  /** A cursor after the row whose key is {@code key}. */
  public static String after(String key) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString((VERSION + key).getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The name in a cursor, in lists ordered by name; empty, so before all, when none was given.
   *
   * @throws ProblemException when it is not one of ours
   */
  public static String name(@Nullable String cursor) {
    String key = key(cursor);
    if (key == null) {
      return "";
    }
    if (!Fields.isName(key)) {
      throw bad();
    }
    return key;
  }

  private static @Nullable String key(@Nullable String cursor) {
    if (cursor == null) {
      return null;
    }
    try {
      String text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
      if (text.startsWith(VERSION)) {
        return text.substring(VERSION.length());
      }
    } catch (IllegalArgumentException e) {
      // Not base64: falls through.
    }
    throw bad();
  }

  /**
   * The numeric key in a cursor; {@code first} when none was given.
   *
   * @throws ProblemException when it is not one of ours
   */
  public static long number(@Nullable String cursor, long first) {
    String key = key(cursor);
    if (key == null) {
      return first;
    }
    try {
      return Long.parseLong(key);
    } catch (NumberFormatException e) {
      throw bad();
    }
  }

  /** What a cursor is answered that is not one of ours. */
  public static ProblemException bad() {
    return ProblemException.at(
        ProblemType.VALIDATION_FAILED, "?cursor", "Send the nextCursor of an earlier page.");
  }
}
