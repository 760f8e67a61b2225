package io.jobscheduler.api;

import io.jobscheduler.api.access.AccessConfig;
import io.jobscheduler.api.access.ClientAddress;
import io.jobscheduler.api.access.LoginConfig;
import io.jobscheduler.api.access.OidcVerifier;
import io.jobscheduler.api.jobs.JobLimits;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.StreamSupport;
import org.eclipse.microprofile.config.Config;
import org.jboss.logging.Logger;

/** Stops a start whose configuration cannot be meant. */
@ApplicationScoped
class StartupCheck {
  private static final Logger LOG = Logger.getLogger(StartupCheck.class);
  private static final Duration SHORTEST_TOKEN = Duration.ofMinutes(1);
  private static final Duration SHORTEST_ROTATION = Duration.ofDays(2);
  private static final Duration LONGEST_TOKEN = Duration.ofDays(30);

  // The features' prefixes; a key inside one is checked by its mapping.
  private static final List<String> PREFIXES =
      List.of(
          "jobs.db.",
          "jobs.access.",
          "jobs.login.",
          "jobs.oidc.",
          "jobs.rate.",
          "jobs.limits.",
          "jobs.bulk.",
          "jobs.migrate.");

  private final Config config;
  private final AccessConfig access;
  private final JobLimits limits;
  private final OidcVerifier oidc;
  private final LoginConfig login;

  StartupCheck(
      Config config, AccessConfig access, JobLimits limits, OidcVerifier oidc, LoginConfig login) {
    this.config = config;
    this.access = access;
    this.limits = limits;
    this.oidc = oidc;
    this.login = login;
  }

  void check(@Observes StartupEvent event) {
    Set<String> unknown = unknownKeys(config.getPropertyNames());
    if (!unknown.isEmpty()) {
      throw new IllegalStateException("unknown configuration keys: " + String.join(", ", unknown));
    }
    Duration lifetime = access.tokenLifetime();
    if (lifetime.compareTo(SHORTEST_TOKEN) < 0 || lifetime.compareTo(LONGEST_TOKEN) > 0) {
      throw new IllegalStateException(
          "jobs.access.token-lifetime must be from " + SHORTEST_TOKEN + " to " + LONGEST_TOKEN);
    }
    if (access.sessionIdle().compareTo(lifetime) < 0
        || access.sessionLifetime().compareTo(access.sessionIdle()) < 0) {
      throw new IllegalStateException(
          "jobs.access.session-idle must be at least jobs.access.token-lifetime, and"
              + " jobs.access.session-lifetime at least that");
    }
    if (access.keyRotation().compareTo(SHORTEST_ROTATION) < 0) {
      throw new IllegalStateException(
          "jobs.access.key-rotation must be at least " + SHORTEST_ROTATION);
    }
    ClientAddress.check(login);
    if (oidc.issuer() != null) {
      LOG.infof("Access tokens of another issuer are taken: issuer=%s", oidc.issuer());
    }
    JobLimits.payloadBytes(limits);
  }

  /**
   * The keys under {@code jobs.} that belong to no feature. Names of environment variables (upper
   * case) may be meant for another service that shares the environment, so they are not looked at.
   */
  static Set<String> unknownKeys(Iterable<String> names) {
    Set<String> unknown = new TreeSet<>();
    StreamSupport.stream(names.spliterator(), false)
        .filter(name -> name.startsWith("jobs."))
        .filter(name -> PREFIXES.stream().noneMatch(name::startsWith))
        .filter(name -> System.getenv(environmentName(name)) == null)
        .forEach(unknown::add);
    return unknown;
  }

  private static String environmentName(String key) {
    return key.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT);
  }
}
