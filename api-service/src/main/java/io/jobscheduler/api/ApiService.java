package io.jobscheduler.api;

import io.jobscheduler.api.migrate.MigrateCommand;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;

/** Starts the API, or with the argument {@code migrate} prepares the database and ends. */
@QuarkusMain
public final class ApiService {
  private ApiService() {}

  /** The process. */
  public static void main(String[] args) {
    if (args.length > 0 && args[0].equals("migrate")) {
      System.exit(MigrateCommand.run(System.out, System.err));
    }
    Quarkus.run(args);
  }
}
