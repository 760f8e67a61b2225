package io.jobscheduler.schema.version;

/** The versions that this build knows. */
public final class SchemaVersion {
  /** The newest migration in this build. */
  public static final int NEWEST = 18;

  /** The oldest schema on which this build works: nothing was released with an older one. */
  public static final int OLDEST_SUPPORTED = NEWEST;

  /** Where Flyway finds the migrations. */
  public static final String MIGRATIONS = "classpath:db/migration";

  /** The schema's name. */
  public static final String SCHEMA = "jobs";

  private SchemaVersion() {}
}
