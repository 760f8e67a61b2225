package io.jobscheduler.api.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;

/** Ways in which a request goes wrong. */
final class FuzzMutations {
  private static final JsonNodeFactory MAKE = JsonNodeFactory.instance;
  private static final List<String> TEXTS =
      List.of(
          "",
          " ",
          "\u0000",
          "\u202Egnp",
          "Ünï\uD83D\uDE00",
          "x".repeat(300),
          "x".repeat(70_000),
          "' OR 1=1; DROP TABLE jobs.jobs; --",
          "../../etc/passwd",
          "${jndi:ldap://x/y}",
          "{{plannedAt}}",
          "-1",
          "NaN",
          "2030-13-45T99:99:99Z",
          "0000-00-00",
          "P-1Y",
          "PT1E9S",
          "+999999999-12-31T23:59:59.999999999Z",
          "١٢٣",
          "a/b",
          "%s%n",
          "null",
          "*");
  private static final List<String> SEGMENTS =
      List.of(
          "%00",
          "%2F",
          "%2e%2e",
          "..;",
          "%25",
          "%C3%28",
          "%F0%9F%98%80",
          "0",
          "-1",
          "1.5",
          "0x10",
          "9223372036854775807",
          "9223372036854775808",
          "99999999999999999999999",
          "1e9",
          "%20",
          "default%00",
          "1%27%20OR%201=1",
          "a".repeat(129),
          "a".repeat(3_000),
          "*",
          "null",
          "%0d%0a",
          "%D9%A1");

  private final Random random;
  private final FuzzPool pool;

  FuzzMutations(Random random, FuzzPool pool) {
    this.random = random;
    this.pool = pool;
  }

  void apply(FuzzRequest request) {
    switch (random.nextInt(request.body == null ? 8 : 14)) {
      case 0 -> query(request);
      case 1 -> segment(request);
      case 2 -> path(request);
      case 3 -> header(request);
      case 4 -> verb(request);
      case 5, 6 -> paging(request);
      case 7 -> oddHeader(request);
      case 8 -> text(request);
      case 9 -> contentType(request);
      default -> tree(request);
    }
  }

  private <T> T any(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  /** Another value at a random place of the body. */
  private void tree(FuzzRequest request) {
    if (request.json == null) {
      return;
    }
    JsonNode root = request.json.deepCopy();
    List<JsonNode> places = new ArrayList<>();
    collect(root, places);
    JsonNode place = places.isEmpty() ? null : any(places);
    if (place instanceof ObjectNode object) {
      List<String> names = new ArrayList<>();
      object.fieldNames().forEachRemaining(names::add);
      String name = names.isEmpty() || random.nextInt(6) == 0 ? "unknown" : any(names);
      if (random.nextInt(5) == 0) {
        object.remove(name);
      } else {
        object.set(name, wrong());
      }
    } else if (place instanceof ArrayNode array) {
      switch (array.isEmpty() ? 0 : random.nextInt(3)) {
        case 0 -> array.add(wrong());
        case 1 -> array.set(random.nextInt(array.size()), wrong());
        default -> {
          JsonNode item = array.get(0);
          for (int i = 0; i < 1_100; i++) {
            array.add(item.deepCopy());
          }
        }
      }
    } else {
      root = wrong();
    }
    if (random.nextInt(30) == 0) {
      root = wrong();
    }
    request.body(root);
  }

  private static void collect(JsonNode node, List<JsonNode> places) {
    if (node.isContainerNode()) {
      places.add(node);
      node.forEach(child -> collect(child, places));
    }
  }

  private JsonNode wrong() {
    return switch (random.nextInt(12)) {
      case 0 -> MAKE.nullNode();
      case 1 -> MAKE.booleanNode(true);
      case 2 -> MAKE.numberNode(-1);
      case 3 -> MAKE.numberNode(new BigDecimal("1e399"));
      case 4 -> MAKE.numberNode(new BigDecimal("9".repeat(99)));
      case 5 -> MAKE.numberNode(Long.MAX_VALUE);
      case 6 -> MAKE.numberNode(0.5);
      case 7 -> MAKE.arrayNode();
      case 8 -> MAKE.objectNode().put("a", 1);
      case 9 -> nested(40 + random.nextInt(60));
      default -> MAKE.textNode(any(TEXTS));
    };
  }

  private static JsonNode nested(int levels) {
    JsonNode node = MAKE.numberNode(1);
    for (int i = 0; i < levels; i++) {
      node = i % 2 == 0 ? MAKE.arrayNode().add(node) : MAKE.objectNode().set("n", node);
    }
    return node;
  }

  /** No JSON any more, or JSON that is not kept. */
  private void text(FuzzRequest request) {
    String text = new String(request.body, StandardCharsets.UTF_8);
    int cut = text.isEmpty() ? 0 : random.nextInt(text.length());
    String other =
        switch (random.nextInt(12)) {
          case 0 -> "";
          case 1 -> text.substring(0, cut);
          case 2 -> text + " x";
          case 3 -> text + text;
          case 4 -> "\uFEFF" + text;
          case 5 -> text.replace("{", "{\"k\":1,\"k\":2,");
          case 6 -> text.replace("\"", "'");
          case 7 -> "[".repeat(100_000);
          case 8 -> text.substring(0, cut) + "\\u0000" + text.substring(cut);
          case 9 -> text.replaceFirst("\"[a-z]+\"\\s*:", "\"\\\\ud800\":");
          case 10 -> text.replaceAll("[0-9]+", "1e99999");
          default -> "[" + text + "]";
        };
    request.json = null;
    request.body = other.getBytes(StandardCharsets.UTF_8);
    if (random.nextInt(6) == 0 && request.body.length > 0) {
      request.body[random.nextInt(request.body.length)] = (byte) 0xC3;
    }
  }

  private void contentType(FuzzRequest request) {
    request.json = null;
    request.replace(
        "Content-Type",
        any(
            List.of(
                "text/plain",
                "application/xml",
                "application/x-www-form-urlencoded",
                "junk",
                "",
                "application/json;charset=utf-16",
                "application/x-ndjson",
                "multipart/form-data")));
  }

  private void query(FuzzRequest request) {
    switch (random.nextInt(4)) {
      case 0 -> request.query.add("unknown=1");
      case 1 -> request.query.add("sort=id;drop%20table%20jobs--");
      case 2 -> {
        if (!request.query.isEmpty()) {
          request.query.add(request.query.get(0));
        }
      }
      default -> request.query.add(any(List.of("=", "a", "a=%zz", "a=%00", "%F0%28=1", "[]=1")));
    }
    request.odd |= request.target().contains("%zz") || request.target().contains("[");
  }

  private void paging(FuzzRequest request) {
    String[] names = {"limit", "cursor"};
    for (JsonNode parameter : request.operation.node().path("parameters")) {
      if (parameter.path("in").asText().equals("query") && random.nextBoolean()) {
        names[0] = parameter.path("name").asText();
      }
    }
    request.query.removeIf(q -> q.startsWith(names[0] + "=") || q.startsWith("cursor="));
    if (random.nextBoolean()) {
      request.query.add(
          names[0]
              + "="
              + any(
                  List.of(
                      "0",
                      "-1",
                      "201",
                      "99999999999999",
                      "abc",
                      "1.5",
                      "%D9%A1",
                      "",
                      "%00",
                      "a,b,%00,c",
                      "'%20OR%201=1",
                      "2030-13-45",
                      "x".repeat(2_000))));
      return;
    }
    String cursor = pool.any("cursor", random);
    String text =
        any(
            List.of(
                "1:", "1:-1", "1:99999999999999999999", "2:5", "1:'", "1:\u0000", "1:a:b", "x"));
    request.query.add(
        "cursor="
            + switch (cursor == null ? 3 : random.nextInt(4)) {
              case 0 -> cursor;
              case 1 -> cursor.substring(0, random.nextInt(cursor.length()));
              case 2 -> cursor + "AA";
              default ->
                  Base64.getUrlEncoder()
                      .withoutPadding()
                      .encodeToString(text.getBytes(StandardCharsets.UTF_8));
            });
  }

  private void segment(FuzzRequest request) {
    String[] parts = request.path.split("/", -1);
    int at = 3 + random.nextInt(Math.max(1, parts.length - 3));
    if (at < parts.length) {
      parts[at] = any(SEGMENTS);
      request.path = String.join("/", parts);
      request.odd = true;
    }
  }

  private void path(FuzzRequest request) {
    request.odd = true;
    request.path =
        switch (random.nextInt(7)) {
          case 0 -> request.path + "/";
          case 1 -> request.path.replaceFirst("/api", "//api");
          case 2 -> request.path + "//";
          case 3 -> request.path.replace("projects", "projec%74s");
          case 4 -> request.path + "/nothing";
          case 5 -> request.path.toUpperCase(java.util.Locale.ROOT);
          default -> request.path + ";a=b";
        };
  }

  private void verb(FuzzRequest request) {
    request.odd = true;
    request.verb =
        any(List.of("HEAD", "OPTIONS", "GET", "PUT", "PATCH", "DELETE", "TRACE", "BREW", "POST"));
    // What deletes for good is asked for by its own operation only.
    if (request.verb.equals("DELETE") || request.verb.equals(request.operation.verb())) {
      request.verb = "OPTIONS";
    }
  }

  private void header(FuzzRequest request) {
    String quoted = "\"" + random.nextInt(9) + "\"";
    switch (random.nextInt(4)) {
      case 0 ->
          request.replace(
              "Idempotency-Key",
              any(
                  List.of(
                      "k1", "k2", "k3", "", "x".repeat(255), "x".repeat(256), "\u00e9", "a\tb")));
      case 1 -> request.replace("If-Match", any(List.of("*", quoted, "W/" + quoted, "junk", "\"")));
      case 2 ->
          request.replace(
              "Prefer",
              any(List.of("wait=0", "wait=-1", "wait=x", "wait=1", "respond-async", ",")));
      default ->
          request.replace(
              "Accept", any(List.of("*/*", "text/html", "application/xml", "junk", "a/b;q=x")));
    }
  }

  private void oddHeader(FuzzRequest request) {
    switch (random.nextInt(9)) {
      case 0 -> request.headers.add("X-Forwarded-For: junk, 1.2.3.4, ::1");
      case 1 ->
          request.headers.add("X-Request-Id: " + any(List.of("mine-1", "a b", "x".repeat(500))));
      case 2 -> request.headers.add("traceparent: 00-junk");
      case 3 ->
          request.replace(
              "Authorization", any(List.of("Basic YTpi", "Bearer", "Bearer x.y.z", "jsk_x")));
      case 4 -> request.headers.add("Origin: https://elsewhere.example");
      case 5 -> request.headers.add("Content-Encoding: gzip");
      case 6 -> {
        request.odd = true;
        request.headers.add("X-Big: " + "x".repeat(random.nextInt(12) == 0 ? 1_000_000 : 17_000));
      }
      case 7 -> {
        request.odd = true;
        request.headers.add(
            any(
                List.of(
                    "Bad Header: 1", "Expect: 200-junk", "Transfer-Encoding: junk", "Host: y")));
      }
      default -> request.headers.add("Range: bytes=0-1");
    }
  }
}
