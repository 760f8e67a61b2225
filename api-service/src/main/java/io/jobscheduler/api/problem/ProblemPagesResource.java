package io.jobscheduler.api.problem;

import jakarta.annotation.security.PermitAll;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.Properties;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** The page of each type of problem, at its URI, for whoever follows it. */
@Path("/problems")
public class ProblemPagesResource {
  private final Properties texts = read();

  private static Properties read() {
    Properties texts = new Properties();
    try (InputStream in =
        Objects.requireNonNull(
            ProblemPagesResource.class.getResourceAsStream("/problems.properties"))) {
      texts.load(new InputStreamReader(in, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return texts;
  }

  // Nothing of the request is in the page, and the policy of all answers lets it load nothing.
  @GET
  @Path("/{name}")
  @PermitAll
  @Produces(MediaType.TEXT_HTML)
  @Operation(hidden = true)
  public Response page(@PathParam("name") String name) {
    ProblemType type =
        Arrays.stream(ProblemType.values())
            .filter(t -> t.slug().equals(name))
            .findFirst()
            .orElseThrow(() -> ProblemException.notFound("type of problem"));
    String page =
        """
        <!DOCTYPE html>
        <html lang="en">
        <head><meta charset="utf-8"><title>%1$s</title></head>
        <body><h1>%1$s</h1><p><code>%2$s</code>, status %3$d</p><p>%4$s</p><p>%5$s</p></body>
        </html>
        """
            .formatted(
                html(type.title()),
                type.uri(),
                type.status(),
                html(texts.getProperty(type.slug() + ".meaning")),
                html(texts.getProperty(type.slug() + ".remedy")));
    return Response.ok(page, MediaType.TEXT_HTML + ";charset=utf-8").build();
  }

  private static String html(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("`", "");
  }
}
