package io.jobscheduler.api.access;

import jakarta.annotation.security.PermitAll;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.CacheControl;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponseSchema;

/** The public keys of access tokens, as a JWK set (RFC 7517). */
@Path("/.well-known/jwks.json")
public class JwksResource {
  private static final int MAX_AGE_SECONDS = 300;

  private final SigningKeys keys;

  JwksResource(SigningKeys keys) {
    this.keys = keys;
  }

  /** A JWK set. */
  public record JwkSet(List<Map<String, Object>> keys) {}

  @GET
  @PermitAll
  @Produces(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "jwks",
      summary = "The public keys of access tokens",
      extensions = @Extension(name = "x-role", value = "none"))
  @APIResponseSchema(value = JwkSet.class, responseCode = "200")
  public Response jwks() {
    CacheControl cache = new CacheControl();
    cache.setMaxAge(MAX_AGE_SECONDS);
    return Response.ok(new JwkSet(keys.published())).cacheControl(cache).build();
  }
}
