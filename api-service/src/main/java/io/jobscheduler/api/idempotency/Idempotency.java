package io.jobscheduler.api.idempotency;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.signal.Signals;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Answers a request that carries an {@code Idempotency-Key} once: for 24 hours the same key with
 * the same request gets the first answer again, with another request 422, and 409 while the first
 * one is being answered. Thread-safe.
 *
 * <p>The whole request is one transaction: whatever it stores and the record of its answer commit
 * together, so neither a crash nor a lost reply separates them. Only success is recorded; a request
 * that was refused is judged anew.
 */
@ApplicationScoped
public class Idempotency {
  /** The header. */
  public static final String KEY = "Idempotency-Key";

  /** The header of an answer that is given again: {@code true}. */
  public static final String REPLAYED = "Idempotent-Replayed";

  private static final int LONGEST_KEY = 255;

  private final Jdbi jdbi;
  private final IdempotencyStore store;
  private final Signals signals;
  private final ObjectMapper json;
  private final RoutingContext request;

  Idempotency(
      Jdbi jdbi,
      IdempotencyStore store,
      Signals signals,
      ObjectMapper json,
      RoutingContext request) {
    this.jdbi = jdbi;
    this.store = store;
    this.signals = signals;
    this.json = json;
    this.request = request;
  }

  /**
   * Answers by {@code action}, or as before.
   *
   * @param scope the caller may act in it: that was checked, now as at the first time
   * @param key the header; null when the request carries none, which costs nothing
   * @param body the request's body, byte for byte
   * @param action stores and answers; its statements run in one transaction with the record
   * @throws ProblemException 400, 409, 422
   */
  public Response once(Scope scope, @Nullable String key, byte[] body, Supplier<Response> action) {
    return once(scope, key, body, action, UnaryOperator.identity(), UnaryOperator.identity());
  }

  /**
   * The same, of an answer that is not recorded as it is: one that shows a secret, or what not
   * everybody may see who may ask again.
   *
   * @param kept what of the first answer is recorded; itself: all of it
   * @param again makes each later answer of what was recorded, in the same transaction
   */
  public Response once(
      Scope scope,
      @Nullable String key,
      byte[] body,
      Supplier<Response> action,
      UnaryOperator<Response> kept,
      UnaryOperator<Response> again) {
    if (key == null) {
      return action.get();
    }
    requireKey(key);
    byte[] hash = RequestHash.of(request.request().method() + " " + request.request().path(), body);
    return signals.afterCommit(
        () ->
            jdbi.inTransaction(
                h -> {
                  if (!store.tryLock(h, scope, key)) {
                    throw inFlight();
                  }
                  Optional<StoredAnswer> before = store.findAnswer(h, scope, key);
                  if (before.isPresent()) {
                    return again.apply(replay(before.get(), hash));
                  }
                  Response answer = action.get();
                  Response recorded = kept.apply(answer);
                  StoredAnswer first = stored(recorded, hash);
                  if (!store.insertAnswer(h, scope, key, first)) {
                    throw inFlight();
                  }
                  // The text that was recorded, so that both answers are the same to the byte.
                  return first.body() == null || recorded != answer
                      ? answer
                      : Response.fromResponse(answer)
                          .entity(first.body())
                          .type(MediaType.APPLICATION_JSON)
                          .build();
                }));
  }

  /** Requires 1 to 255 printable ASCII characters. */
  public static void requireKey(String key) {
    if (key.isEmpty()
        || key.length() > LONGEST_KEY
        || !key.chars().allMatch(c -> c >= ' ' && c <= '~')) {
      throw ProblemException.of(
          ProblemType.BAD_REQUEST,
          KEY + " must have 1 to " + LONGEST_KEY + " printable ASCII characters.");
    }
  }

  private static ProblemException inFlight() {
    return ProblemException.retryAfter(
        ProblemType.IN_FLIGHT,
        "A request with this " + KEY + " is being answered. Repeat it for its answer.",
        Duration.ofSeconds(1));
  }

  private static Response replay(StoredAnswer before, byte[] hash) {
    if (!before.isOf(hash)) {
      throw mismatch();
    }
    return answer(before).header(REPLAYED, true).build();
  }

  /** That the key belongs to another request. */
  public static ProblemException mismatch() {
    return ProblemException.of(
        ProblemType.IDEMPOTENCY_MISMATCH,
        "Within the last 24 hours this " + KEY + " was used for a request that differs.");
  }

  private StoredAnswer stored(Response response, byte[] hash) {
    Object entity = response.getEntity();
    URI location = response.getLocation();
    try {
      return new StoredAnswer(
          hash,
          response.getStatus(),
          location == null ? null : location.toString(),
          entity == null ? null : json.writeValueAsString(entity));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Response.ResponseBuilder answer(StoredAnswer stored) {
    Response.ResponseBuilder response = Response.status(stored.status());
    if (stored.location() != null) {
      response.location(URI.create(stored.location()));
    }
    if (stored.body() != null) {
      response.entity(stored.body()).type(MediaType.APPLICATION_JSON);
    }
    return response;
  }
}
