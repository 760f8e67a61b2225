package io.jobscheduler.api.access;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.util.List;
import java.util.Optional;

/** Another issuer whose access tokens are taken ({@code jobs.oidc.*}). */
@ConfigMapping(prefix = "jobs.oidc")
public interface OidcConfig {
  /** The issuer, as its tokens name it in {@code iss}; none are taken when absent. */
  Optional<String> issuer();

  /** What its tokens must name in {@code aud}. */
  Optional<String> audience();

  /** Where its keys are; by OpenID Connect discovery when absent. */
  Optional<String> jwksUrl();

  /** The claim that gives roles, a path with {@code /}; a list, or words with blanks between. */
  @WithDefault("groups")
  String rolesClaim();

  /**
   * What a value of that claim gives: {@code value=project:role}, {@code value=*:role} for every
   * project, {@code value=platform-admin}; {@code :no-payloads} after a role hides payloads.
   */
  Optional<List<String>> roles();
}
