package io.jobscheduler.localstack.service;

import java.nio.file.Path;
import java.util.Locale;

/** The four services. */
public enum Service {
  API("256m", true),
  WORKER("256m", false),
  SCHEDULER("192m", false),
  DASHBOARD("128m", true);

  private final String heap;
  private final boolean http;

  Service(String heap, boolean http) {
    this.heap = heap;
    this.http = http;
  }

  /** Its role in the database, and the middle of its own environment variables. */
  public String role() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Its module, and the name of its log. */
  public String module() {
    return role() + "-service";
  }

  /** The largest Java heap it is given here, as the JVM's option takes it. */
  String heap() {
    return heap;
  }

  /** Whether it serves more than its health. */
  public boolean servesHttp() {
    return http;
  }

  /** The packaged program below the repository's root. */
  public Path jar(Path repository) {
    return repository.resolve(module()).resolve("target/quarkus-app/quarkus-run.jar");
  }
}
