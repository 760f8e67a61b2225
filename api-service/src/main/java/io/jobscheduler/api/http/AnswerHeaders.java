package io.jobscheduler.api.http;

import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.core.HttpHeaders;
import org.jboss.resteasy.reactive.server.ServerResponseFilter;

/** Keeps answers out of caches unless a resource says otherwise. */
public final class AnswerHeaders {
  @ServerResponseFilter
  void add(ContainerResponseContext response) {
    if (!response.getHeaders().containsKey(HttpHeaders.CACHE_CONTROL)) {
      response.getHeaders().putSingle(HttpHeaders.CACHE_CONTROL, "no-store");
    }
  }
}
