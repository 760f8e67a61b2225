package io.jobscheduler.api.access;

import io.smallrye.jwt.auth.principal.DefaultJWTCallerPrincipal;
import org.jose4j.jwt.JwtClaims;

/** The principal of a request: its class, not a claim that a token could carry, says who it is. */
final class CallerPrincipal extends DefaultJWTCallerPrincipal {
  private final Caller caller;

  CallerPrincipal(JwtClaims claims, Caller caller) {
    super(claims);
    this.caller = caller;
  }

  Caller caller() {
    return caller;
  }
}
