package io.jobscheduler.dashboard.live;

import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads one parameter of a query string. */
final class QueryParameters {
  private QueryParameters() {}

  /** The first value of {@code name}, decoded; empty when there is none. */
  static String first(@Nullable String query, String name) {
    if (query == null) {
      return "";
    }
    List<String> values = new QueryStringDecoder("?" + query).parameters().get(name);
    return values == null || values.isEmpty() ? "" : values.get(0);
  }
}
