package io.jobscheduler.api.idempotency;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a request was answered.
 *
 * @param requestHash of the request, see {@link RequestHash}
 * @param status the HTTP status
 * @param location of what was created; null when the answer named none
 * @param body the JSON; null when there was none
 */
public record StoredAnswer(
    byte[] requestHash, int status, @Nullable String location, @Nullable String body) {

  /** Whether it answered the request with this hash. */
  public boolean isOf(byte[] hash) {
    return Arrays.equals(requestHash, hash);
  }
}
