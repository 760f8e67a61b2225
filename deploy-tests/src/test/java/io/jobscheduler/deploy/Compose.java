package io.jobscheduler.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import java.util.TreeMap;
import org.yaml.snakeyaml.Yaml;

/** The compose file, its anchors and merges resolved, its variables not. */
record Compose(JsonNode root) {

  static Compose read() {
    Object loaded = new Yaml().load(Repository.read("docker-compose.yml"));
    return new Compose(new ObjectMapper().valueToTree(loaded));
  }

  Map<String, JsonNode> services() {
    Map<String, JsonNode> services = new TreeMap<>();
    root.get("services").fields().forEachRemaining(e -> services.put(e.getKey(), e.getValue()));
    return services;
  }

  Map<String, String> environment(String service) {
    Map<String, String> environment = new TreeMap<>();
    services()
        .get(service)
        .path("environment")
        .fields()
        .forEachRemaining(e -> environment.put(e.getKey(), e.getValue().asText()));
    return environment;
  }
}
