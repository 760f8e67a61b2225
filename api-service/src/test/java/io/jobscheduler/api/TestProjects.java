package io.jobscheduler.api;

import io.jobscheduler.api.database.JdbiProducer;
import io.jobscheduler.api.jobs.JobOptions;
import io.jobscheduler.api.jobs.JobRequest;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jdbi.v3.core.Jdbi;

/** What store tests need around them. */
public final class TestProjects {
  private TestProjects() {}

  /** A mapper under the API's own role. */
  public static Jdbi api(TestDatabase database) {
    return JdbiProducer.over(database.dataSource(Role.API));
  }

  /** A project with the queue {@code default}; returns its id. */
  public static int create(TestDatabase database, String name) {
    int project =
        number(database, "INSERT INTO projects (name) VALUES ('" + name + "') RETURNING id");
    database.sql("INSERT INTO queues (project_id, name) VALUES (" + project + ", 'default')");
    return project;
  }

  /** The number that a statement of the owner answers. */
  public static int number(TestDatabase database, String sql) {
    return Integer.parseInt(Objects.requireNonNull(database.sql(sql)));
  }

  /** {@code count} plain jobs of a type. */
  public static List<JobRequest> jobs(int count, String type) {
    return Collections.nCopies(
        count, new JobRequest(type, "default", null, 4, null, null, 20, null, JobOptions.NONE));
  }
}
