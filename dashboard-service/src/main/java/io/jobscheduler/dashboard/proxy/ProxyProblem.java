package io.jobscheduler.dashboard.proxy;

import io.vertx.core.json.JsonObject;

/** What the dashboard itself says when api-service gives no answer (RFC 9457). */
enum ProxyProblem {
  BAD_GATEWAY(
      502,
      "bad-gateway",
      "The API cannot be reached",
      "The dashboard could not reach api-service. It tries again with each request."),
  GATEWAY_TIMEOUT(
      504,
      "gateway-timeout",
      "The API did not answer in time",
      "api-service took the request and gave no answer. It may have been carried out.");

  /** When a client may try again. */
  static final String RETRY_AFTER_SECONDS = "2";

  final int status;
  private final String type;
  private final String title;
  private final String detail;

  ProxyProblem(int status, String type, String title, String detail) {
    this.status = status;
    this.type = type;
    this.title = title;
    this.detail = detail;
  }

  String body(String instance) {
    return new JsonObject()
        .put("type", "/problems/" + type)
        .put("title", title)
        .put("status", status)
        .put("detail", detail)
        .put("instance", instance)
        .encode();
  }
}
