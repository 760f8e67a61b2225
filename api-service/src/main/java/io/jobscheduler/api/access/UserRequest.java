package io.jobscheduler.api.access;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Body of a new user. */
public record UserRequest(
    @Schema(minLength = 3, maxLength = 254, pattern = "[^@\\s]+@[^@\\s]+") String email,
    @Schema(minLength = SHORTEST_PASSWORD, maxLength = LONGEST_PASSWORD) String password,
    @Schema(maxLength = 200, defaultValue = "") String name,
    @Schema(defaultValue = "false") boolean platformAdmin) {
  // One @ with something on both sides and no blanks: delivery, not syntax, proves an address.
  private static final Pattern EMAIL = Pattern.compile("[^@\\s]+@[^@\\s]+");
  private static final int SHORTEST_PASSWORD = 12;
  private static final int LONGEST_PASSWORD = 256;

  static @Nullable UserRequest read(JsonReader in) {
    String email = null;
    String password = null;
    String name = "";
    boolean platformAdmin = false;
    if (!in.startObject()) {
      return null;
    }
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "email" -> {
          email = Fields.text(in, 3, 254);
          if (email != null && !EMAIL.matcher(email).matches()) {
            in.reject("Expected an email address.");
          }
        }
        case "password" -> password = password(in);
        case "name" -> {
          String text = Fields.text(in, 0, 200);
          name = text == null ? "" : text;
        }
        case "platformAdmin" -> platformAdmin = Boolean.TRUE.equals(in.bool());
        default -> in.unknownField();
      }
    }
    in.violations().require("/email", email != null);
    in.violations().require("/password", password != null);
    return email == null || password == null
        ? null
        : new UserRequest(email, password, name, platformAdmin);
  }

  /** A new password; null when absent or, noted, too short or long. */
  static @Nullable String password(JsonReader in) {
    return Fields.text(in, SHORTEST_PASSWORD, LONGEST_PASSWORD);
  }

  /** Without the password: it never gets into a log. */
  @Override
  public String toString() {
    return "UserRequest[email=" + email + "]";
  }
}
