package io.jobscheduler.api.problem;

import java.util.Locale;

/** Every kind of error that the API answers; {@code type} is {@code /problems/<name>}. */
public enum ProblemType {
  MALFORMED_JSON(400, "The body is not acceptable JSON"),
  UNKNOWN_FIELD(400, "A field or query parameter is not known"),
  BAD_REQUEST(400, "The request cannot be understood"),
  UNAUTHORIZED(401, "Authentication is needed"),
  FORBIDDEN(403, "The role is too low"),
  NOT_FOUND(404, "There is nothing here"),
  METHOD_NOT_ALLOWED(405, "The method is not allowed here"),
  NOT_ACCEPTABLE(406, "Only JSON can be answered"),
  CONFLICT(409, "The present state forbids it"),
  WORKFLOW_FINISHED(409, "The workflow has ended"),
  IN_FLIGHT(409, "The same request is being answered"),
  PRECONDITION_FAILED(412, "It has been changed meanwhile"),
  PAYLOAD_TOO_LARGE(413, "The body or a payload is too large"),
  UNSUPPORTED_MEDIA_TYPE(415, "The body must be application/json"),
  VALIDATION_FAILED(422, "A value is not acceptable"),
  WORKFLOW_CYCLE(422, "The workflow has a cycle"),
  TOO_MANY_REQUESTS(429, "Too many requests"),
  IDEMPOTENCY_MISMATCH(422, "The Idempotency-Key was used for another request"),
  QUEUE_FULL(429, "A queue is full"),
  INTERNAL_ERROR(500, "Something failed on our side"),
  SERVICE_UNAVAILABLE(503, "The service cannot answer now");

  private final int status;
  private final String title;

  ProblemType(int status, String title) {
    this.status = status;
    this.title = title;
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }

  /** The same short text for every problem of this type. */
  public String title() {
    return title;
  }

  /** The name in kebab-case, for example {@code not-found}. */
  public String slug() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The stable URI reference. */
  public String uri() {
    return "/problems/" + slug();
  }

  /** The type for an HTTP status that a library chose. */
  static ProblemType ofStatus(int status) {
    return switch (status) {
      case 401 -> UNAUTHORIZED;
      case 403 -> FORBIDDEN;
      case 404 -> NOT_FOUND;
      case 405 -> METHOD_NOT_ALLOWED;
      case 406 -> NOT_ACCEPTABLE;
      case 409 -> CONFLICT;
      case 412 -> PRECONDITION_FAILED;
      case 413 -> PAYLOAD_TOO_LARGE;
      case 415 -> UNSUPPORTED_MEDIA_TYPE;
      case 429 -> TOO_MANY_REQUESTS;
      case 503 -> SERVICE_UNAVAILABLE;
      default -> status >= 400 && status < 500 ? BAD_REQUEST : INTERNAL_ERROR;
    };
  }
}
