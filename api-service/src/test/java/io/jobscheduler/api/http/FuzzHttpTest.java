package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Field case C167: random requests made from the API's own description, right ones and wrong ones,
 * as several kinds of callers. No answer is a 5xx, a status or a body that the description does not
 * allow, or tells of the inside. {@code -Dfuzz.requests} says how many, {@code -Dfuzz.seed} makes a
 * run again.
 */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
class FuzzHttpTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MOST_REPORTED = 25;
  private static final int REQUESTS = 2_000;
  private static final Set<Integer> OF_HTTP =
      Set.of(400, 404, 405, 406, 411, 413, 414, 415, 417, 431, 501);
  private static final Pattern INSIDE =
      Pattern.compile(
          "Exception|\\bat"
              + " [a-z]+\\.[a-zA-Z]+\\.|\\b(io|org|java|com)\\.[a-z]+\\.[a-z]|SQLSTATE|SELECT"
              + " |INSERT INTO|violates|\\bjobs\\.[a-z]+_");

  @TestHTTPResource("/")
  URI base;

  private Contract contract;
  private FuzzPool pool;
  private List<String> callers;
  private String member;
  private Map<String, Operations.Operation> known;
  private final Map<String, int[]> successes = new TreeMap<>();
  private final Map<Integer, Integer> statuses = new TreeMap<>();
  private int answered;
  private final Map<String, String> faults = new TreeMap<>();

  @Test
  void noRequestIsAnsweredBeyondTheDescription() throws IOException {
    long seed = seed();
    int requests = Integer.getInteger("fuzz.requests", REQUESTS);
    contract = new Contract(Operations.document());
    ApiClient admin = ApiClient.admin(base);
    Tenant mine = new Tenant(admin);
    Tenant theirs = new Tenant(admin);
    pool = new FuzzPool(mine, theirs);
    callers = callers(admin, mine, theirs);
    member = "viewer10" + mine.name + "@example.org";
    known =
        Operations.all().stream()
            .collect(Collectors.toMap(Operations.Operation::id, Function.identity()));
    long began = System.nanoTime();
    try (RawHttp http = new RawHttp(base)) {
      for (int i = 0; i < requests && faults.size() < MOST_REPORTED; i++) {
        one(http, new Random(seed * 1_000_003 + i), "seed " + seed + ", request " + i);
      }
    }
    System.out.printf(
        "fuzz: seed %d, %d requests in %d s, statuses %s, %d of %d operations succeeded,"
            + " never %s%n",
        seed,
        answered,
        (System.nanoTime() - began) / 1_000_000_000,
        statuses,
        successes.size(),
        contract.operations().size(),
        never());
    assertEquals("", String.join("\n\n", faults.values()), "-Dfuzz.seed=" + seed);
    // A run that is refused everywhere tells nothing.
    Set<String> never = never();
    assertTrue(never.size() * 3 <= contract.operations().size(), "never succeeded: " + never);
  }

  private Set<String> never() {
    Set<String> never = new TreeSet<>();
    contract.operations().forEach(o -> never.add(o.id()));
    never.removeAll(successes.keySet());
    return never;
  }

  private static long seed() {
    String given = System.getProperty("fuzz.seed", "");
    return given.isBlank() ? new Random().nextInt(1_000_000) : Long.parseLong(given.strip());
  }

  private static List<String> callers(ApiClient admin, Tenant mine, Tenant theirs) {
    List<String> tokens = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      tokens.add("Bearer " + admin.token());
    }
    for (String role : List.of("admin", "admin", "operator", "operator", "viewer")) {
      String email = role + tokens.size() + mine.name + "@example.org";
      tokens.add("Bearer " + admin.member(mine.name, email, role).token());
    }
    tokens.add(
        "Bearer " + admin.member(theirs.name, "x" + theirs.name + "@example.org", "admin").token());
    for (String key :
        List.of(
            "\"scopes\":[\"read\",\"operate\",\"enqueue\",\"lease\"],\"payloadVisible\":true",
            "\"scopes\":[\"read\"]",
            "\"scopes\":[\"enqueue\",\"read\"],\"queues\":[\"def*\"]")) {
      tokens.add(
          "Bearer "
              + admin
                  .post(mine.path + "/api-keys", "{\"name\":\"fuzz\"," + key + "}")
                  .status(201)
                  .json()
                  .path("secret")
                  .asText());
    }
    tokens.add("");
    return tokens;
  }

  private void one(RawHttp http, Random random, String where) throws IOException {
    FuzzRequest request = make(random);
    RawHttp.Answer answer;
    try {
      answer = http.send(request.head(), request.body == null ? new byte[0] : request.body);
    } catch (IOException | RuntimeException e) {
      fault(where, request, "no answer: " + e, null);
      http.close();
      return;
    }
    statuses.merge(answer.status(), 1, Integer::sum);
    answered++;
    String wrong = judge(request, answer);
    if (!wrong.isEmpty()) {
      fault(where, request, wrong, answer);
    }
    if (answer.status() < 300) {
      if (request.verb.equals(request.operation.verb())) {
        successes.computeIfAbsent(request.operation.id(), o -> new int[1])[0]++;
        pool.learn(request.operation.id(), json(answer.body()));
      }
    }
  }

  private void fault(String where, FuzzRequest request, String wrong, RawHttp.Answer answer) {
    // One of each kind is enough.
    String kind = request.operation.id() + " " + wrong.replaceAll("[0-9]+|\"[^\"]*\"", "#");
    faults.putIfAbsent(
        kind.length() > 120 ? kind.substring(0, 120) : kind,
        where
            + " ("
            + request.operation.id()
            + "): "
            + wrong
            + "\n"
            + request
            + (answer == null
                ? ""
                : "\n→ " + answer.status() + " " + FuzzRequest.shortened(answer.body())));
  }

  private FuzzRequest make(Random random) throws IOException {
    FuzzValues values = new FuzzValues(contract, pool, random);
    Contract.Operation operation =
        contract.operations().get(random.nextInt(contract.operations().size()));
    FuzzRequest request = new FuzzRequest(operation);
    request.path = path(operation, random);
    request.headers.add("Accept: application/json");
    String caller = callers.get(random.nextInt(callers.size()));
    if (!caller.isEmpty()) {
      request.headers.add("Authorization: " + caller);
    }
    for (JsonNode parameter : operation.node().path("parameters")) {
      if (parameter.path("in").asText().equals("query") && random.nextInt(4) == 0) {
        request.query.add(parameter.path("name").asText() + "=" + query(parameter, random));
      }
    }
    if (operation.node().at("/requestBody/content").has("application/x-ndjson")
        && random.nextInt(3) == 0) {
      request.headers.add("Content-Type: application/x-ndjson");
      JsonNode items = values.of(operation.body());
      StringBuilder lines = new StringBuilder();
      items.forEach(item -> lines.append(item).append('\n'));
      request.body = lines.toString().getBytes(StandardCharsets.UTF_8);
    } else if (!operation.body().isMissingNode() && random.nextInt(25) > 0) {
      request.headers.add("Content-Type: application/json");
      request.body(body(operation, values, random));
    }
    FuzzMutations mutations = new FuzzMutations(random, pool);
    for (int i = Math.max(0, random.nextInt(5) - 2); i > 0; i--) {
      mutations.apply(request);
    }
    return request;
  }

  /** One that the schema allows; often the one that is known to fit what the pool has. */
  private JsonNode body(Contract.Operation operation, FuzzValues values, Random random)
      throws IOException {
    if (operation.id().equals("login") && random.nextBoolean()) {
      return JSON.createObjectNode().put("email", member).put("password", ApiClient.PASSWORD);
    }
    String known = random.nextInt(3) == 0 ? pool.mine.body(known(operation)) : null;
    return known == null ? values.of(operation.body()) : JSON.readTree(known);
  }

  private Operations.Operation known(Contract.Operation operation) {
    return known.get(operation.id());
  }

  private String query(JsonNode parameter, Random random) {
    String name = parameter.path("name").asText();
    String known =
        switch (name) {
          case "limit" -> Integer.toString(1 + random.nextInt(200));
          case "cursor" -> pool.any("cursor", random);
          case "queue", "workflow", "job" -> pool.any(name, random);
          case "schedule" -> pool.any("name", random);
          case "error" -> pool.any("fingerprint", random);
          case "state" -> "ready,dead";
          case "bucket" -> "hour";
          default -> null;
        };
    return known != null ? known : parameter.path("example").asText("x" + random.nextInt(3));
  }

  private String path(Contract.Operation operation, Random random) {
    StringBuilder path = new StringBuilder();
    for (String part : operation.path().substring(1).split("/", -1)) {
      path.append('/').append(part.startsWith("{") ? id(operation, part, random) : part);
    }
    return path.toString();
  }

  private String id(Contract.Operation operation, String part, Random random) {
    String kind = part.substring(1, part.length() - 1);
    if (kind.equals("project")) {
      if (operation.id().equals("deleteProject")) {
        String one = pool.any("disposable", random);
        return one == null ? "none" : one;
      }
      return random.nextInt(8) == 0 ? pool.theirs.name : pool.mine.name;
    }
    if (random.nextInt(3) == 0) {
      return pool.mine.id(known(operation), kind);
    }
    String id = random.nextInt(10) == 0 ? null : pool.any(kind, random);
    return id == null ? Long.toString(900_000_000L + random.nextInt(99)) : id;
  }

  /** What is wrong with an answer; empty: nothing. */
  private String judge(FuzzRequest request, RawHttp.Answer answer) {
    int status = answer.status();
    if (status >= 500 && !(request.odd && status == 501)) {
      return "a " + status;
    }
    if (status >= 400 && INSIDE.matcher(answer.body()).find()) {
      return "tells of the inside";
    }
    boolean ofHttp = request.odd && OF_HTTP.contains(status);
    if (!ofHttp && answer.header("x-request-id").isEmpty()) {
      return "no request id";
    }
    JsonNode json = json(answer.body());
    if (request.verb.equals("HEAD")) {
      return "";
    }
    if (answer.header("content-type").startsWith(Contract.PROBLEM)) {
      String problem = problem(json, answer);
      if (!problem.isEmpty()) {
        return problem;
      }
    } else if (status >= 400 && !ofHttp) {
      return "no problem document: " + answer.header("content-type");
    }
    if (ofHttp || request.verb.equals("OPTIONS")) {
      return "";
    }
    // Dots are resolved before the router sees them, so another operation answers.
    Contract.Operation reached =
        request.path.contains("%2e%2e")
            ? null
            : contract.find(request.verb, withoutParameters(request.path)).orElse(null);
    if (reached == null) {
      return status < 400 && !request.odd ? "succeeds where nothing is documented" : "";
    }
    List<String> wrong =
        contract.faults(reached, status, answer.header("content-type"), answer.body());
    if (!wrong.isEmpty()) {
      return String.join("; ", wrong);
    }
    return status < 300 && reached == request.operation ? accepted(request, reached) : "";
  }

  /** Of segments (RFC 3986, 3.3): the router does not look at them. */
  private static String withoutParameters(String path) {
    return path.replaceAll(";[^/]*", "");
  }

  /** A body that the description forbids is not to be taken. */
  private String accepted(FuzzRequest request, Contract.Operation operation) {
    if (request.json == null || operation.body().isMissingNode()) {
      return "";
    }
    List<String> wrong = contract.faults(operation.body(), request.json);
    return wrong.isEmpty() ? "" : "takes a body that is documented as wrong: " + wrong;
  }

  private static String problem(JsonNode json, RawHttp.Answer answer) {
    if (json == null || json.path("status").asInt() != answer.status()) {
      return "a problem document that does not fit its status";
    }
    if (!json.path("requestId").asText().equals(answer.header("x-request-id"))) {
      return "another request's id";
    }
    String type = json.path("type").asText();
    if ((type.endsWith("/validation-failed") || type.endsWith("/unknown-field"))
        && !json.path("errors")
            .path(0)
            .path("pointer")
            .asText("#")
            .matches("(|[/?].*|\\{[a-z]+})")) {
      return "names no field";
    }
    return "";
  }

  private static JsonNode json(String body) {
    try {
      return body.isEmpty() ? null : JSON.readTree(body);
    } catch (IOException e) {
      return null;
    }
  }
}
