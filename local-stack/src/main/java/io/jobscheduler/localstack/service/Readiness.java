package io.jobscheduler.localstack.service;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** A service's answer on its health address. */
public final class Readiness {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();

  private Readiness() {}

  /** What it answers. Status 0: nothing, the body then says why. */
  public record Answer(int status, String body) {
    public boolean ready() {
      return status == 200;
    }
  }

  /** Asks once; never throws. */
  public static Answer ask(int managementPort) {
    URI address = URI.create("http://127.0.0.1:" + managementPort + "/q/health/ready");
    HttpRequest request = HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(5)).build();
    try {
      HttpResponse<String> response = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
      return new Answer(response.statusCode(), response.body());
    } catch (IOException notYet) {
      return new Answer(0, "no answer");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Answer(0, "interrupted");
    }
  }
}
