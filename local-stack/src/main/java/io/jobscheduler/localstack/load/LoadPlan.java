package io.jobscheduler.localstack.load;

import io.jobscheduler.localstack.postgres.Database;
import java.net.URI;
import java.util.List;

/**
 * What a load is to do.
 *
 * @param seed of everything that is drawn: which jobs, in which order. How they fall in time
 *     depends on the machine.
 * @param apis addresses of api-service, asked in turn; one that does not answer is left for the
 *     next. At least one.
 * @param email of a platform admin
 * @param password of that admin
 * @param database for the enqueues by SQL function
 * @param jobsPerSecond accepted on average while it runs; 100 gives 60,000 jobs in 10 minutes
 * @param projects names of the projects, which are made when missing; two at least, or I7 is idle
 */
public record LoadPlan(
    long seed,
    List<URI> apis,
    String email,
    String password,
    Database database,
    int jobsPerSecond,
    List<String> projects) {
  public LoadPlan {
    apis = List.copyOf(apis);
    projects = List.copyOf(projects);
    if (apis.isEmpty() || projects.isEmpty() || jobsPerSecond < 1) {
      throw new IllegalArgumentException("an address, a project and a rate are needed");
    }
  }
}
