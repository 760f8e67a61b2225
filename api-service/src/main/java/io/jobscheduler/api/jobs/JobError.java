package io.jobscheduler.api.jobs;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Why an attempt failed.
 *
 * @param kind in kebab-case, for example {@code worker-lost}
 */
public record JobError(String kind, @Nullable String message, @Nullable String stack) {
  static @Nullable JobError of(ResultSet row) throws SQLException {
    String kind = row.getString("error_kind");
    return kind == null
        ? null
        : new JobError(kind, row.getString("error_message"), row.getString("error_stack"));
  }
}
