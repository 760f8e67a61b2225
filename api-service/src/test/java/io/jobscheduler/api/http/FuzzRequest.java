package io.jobscheduler.api.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A request that is being made up; what is public here is what mutations change. */
final class FuzzRequest {
  final Contract.Operation operation;
  String verb;
  String path;
  final List<String> query = new ArrayList<>();
  final List<String> headers = new ArrayList<>();
  byte[] body;

  /** The body before it became bytes; null when it is none, or no JSON any more. */
  JsonNode json;

  /** What HTTP itself, or its router, may refuse before the operation sees it. */
  boolean odd;

  FuzzRequest(Contract.Operation operation) {
    this.operation = operation;
    this.verb = operation.verb();
  }

  void body(JsonNode value) {
    json = value;
    body = value.toString().getBytes(StandardCharsets.UTF_8);
  }

  void replace(String header, String value) {
    headers.removeIf(h -> h.regionMatches(true, 0, header + ":", 0, header.length() + 1));
    headers.add(header + ": " + value);
  }

  String target() {
    return query.isEmpty() ? path : path + "?" + String.join("&", query);
  }

  /** All of it but the body. */
  String head() {
    StringBuilder head = new StringBuilder(verb + " " + target() + " HTTP/1.1\r\nHost: x\r\n");
    headers.forEach(h -> head.append(h).append("\r\n"));
    if (body != null) {
      head.append("Content-Length: ").append(body.length).append("\r\n");
    }
    return head.toString();
  }

  @Override
  public String toString() {
    String text = head().replaceAll("(?i)Bearer [^\r\n]{12,}", "Bearer …");
    return shortened(text)
        + (body == null ? "" : "\n" + shortened(new String(body, StandardCharsets.UTF_8)));
  }

  static String shortened(String text) {
    return text.length() <= 2_000 ? text : text.substring(0, 2_000) + "… (" + text.length() + ")";
  }
}
