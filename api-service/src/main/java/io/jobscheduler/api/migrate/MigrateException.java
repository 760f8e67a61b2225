package io.jobscheduler.api.migrate;

/** Ends the migrate mode with one line for the operator. */
final class MigrateException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Exit code: something is not configured, or a file cannot be used. */
  static final int CONFIGURATION = 2;

  /** Exit code: the database cannot be reached. */
  static final int DATABASE_AWAY = 3;

  /** Exit code: the migration itself failed. */
  static final int MIGRATION = 4;

  private final int exitCode;

  MigrateException(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  MigrateException(int exitCode, String message, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  int exitCode() {
    return exitCode;
  }
}
