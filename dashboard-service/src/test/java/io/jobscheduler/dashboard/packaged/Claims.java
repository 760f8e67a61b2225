package io.jobscheduler.dashboard.packaged;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the one claim that the test's api-service needs; verifies nothing. */
final class Claims {
  private static final Pattern SUBJECT = Pattern.compile("\"sub\":\"([^\"]*)\"");

  private Claims() {}

  static String subject(String token) {
    String[] parts = token.split("\\.", -1);
    if (parts.length != 3) {
      return "";
    }
    String payload = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
    Matcher matcher = SUBJECT.matcher(payload);
    return matcher.find() ? matcher.group(1) : "";
  }
}
