package io.jobscheduler.schema.testing;

import java.util.Locale;

/** The database roles: the owner that migrates, and one per service. */
public enum Role {
  OWNER,
  API,
  WORKER,
  SCHEDULER,
  DASHBOARD;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The role's name in the test server, for example {@code jobs_api}. */
  public String databaseName() {
    return "jobs_" + label();
  }

  /** The role's password in the test server. */
  public String password() {
    return TestPostgres.PASSWORD;
  }
}
