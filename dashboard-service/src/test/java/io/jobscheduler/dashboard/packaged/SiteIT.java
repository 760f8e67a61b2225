package io.jobscheduler.dashboard.packaged;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SiteIT {
  private static final Pattern SCRIPT = Pattern.compile("src=\"(/assets/[^\"]+\\.js)\"");
  private static PackagedService service;

  @BeforeAll
  static void start() throws Exception {
    service = Stack.shared().service;
  }

  private static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  @Test
  void servesThePageAtEveryAddressOfTheApp() throws Exception {
    for (String path : List.of("/", "/p/default", "/p/acme.prod/jobs/12?tab=error", "/nowhere")) {
      HttpResponse<String> response = service.page(path);
      assertEquals(200, response.statusCode(), path);
      assertTrue(response.body().contains("<title>Job Scheduler</title>"), path);
      assertEquals("no-cache", header(response, "Cache-Control"), path);
    }
  }

  @Test
  void doesNotServeThePageForOtherThings() throws Exception {
    for (String path : List.of("/assets/gone-12345678.js", "/missing.png", "/q/health")) {
      assertEquals(404, service.page(path).statusCode(), path);
    }
    assertEquals(
        404, service.send(service.request("/p/default").header("Accept", "*/*")).statusCode());
    assertEquals(
        404,
        service
            .send(
                service
                    .request("/p/default")
                    .header("Accept", "text/html")
                    .POST(BodyPublishers.noBody()))
            .statusCode());
  }

  @Test
  void doesNotLetAMissingFileBeKept() throws Exception {
    HttpResponse<String> response = service.get("/assets/gone-12345678.js");
    assertEquals(404, response.statusCode());
    assertEquals("no-cache", header(response, "Cache-Control"));
  }

  @Test
  void letsHashedFilesBeKeptForEverAndCompressesThem() throws Exception {
    Matcher script = SCRIPT.matcher(service.page("/").body());
    assertTrue(script.find());
    HttpResponse<String> response =
        service.send(service.request(script.group(1)).header("Accept-Encoding", "gzip"));
    assertEquals("public, max-age=31536000, immutable", header(response, "Cache-Control"));
    assertEquals("gzip", header(response, "Content-Encoding"));
    assertTrue(header(response, "Content-Type").startsWith("text/javascript"));
  }

  @Test
  void sendsSecurityHeadersWithEverything() throws Exception {
    for (String path : List.of("/", "/theme.js", "/missing.png", "/api/v1/echo")) {
      HttpResponse<String> response = service.page(path);
      String policy = header(response, "Content-Security-Policy");
      assertTrue(policy.startsWith("default-src 'none'; script-src 'self'"), path);
      assertFalse(policy.contains("unsafe"), path);
      assertTrue(policy.contains("frame-ancestors 'none'"), path);
      assertEquals("nosniff", header(response, "X-Content-Type-Options"), path);
      assertEquals("same-origin", header(response, "Referrer-Policy"), path);
    }
  }

  @Test
  void hasNoInlineScriptOrStyle() throws Exception {
    String page = service.page("/").body();
    assertFalse(Pattern.compile("<script(?![^>]*src=)").matcher(page).find());
    assertFalse(page.contains("<style") || page.contains("style="));
  }
}
