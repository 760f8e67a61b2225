package io.jobscheduler.localstack.command;

import io.jobscheduler.localstack.LocalStack;
import java.nio.file.Path;

/** What is printed once everything is ready. */
final class Welcome {
  private Welcome() {}

  static String text(LocalStack stack) {
    Path here = Path.of("").toAbsolutePath();
    Path home = stack.folder().home();
    Path shown = home.startsWith(here) ? here.relativize(home) : home;
    return """

        The Job Scheduler is running.

          Dashboard  %s
          API        %s/api/v1
          Login      %s   password  %s   (kept in %s/secrets)
          Database   %s
          Logs       %s/logs

        Give it work, in another terminal:  make demo
        Stop it:  Ctrl-C, or make down
        """
        .formatted(
            stack.dashboardUrl(),
            stack.apiUrl(),
            LocalStack.ADMIN_EMAIL,
            stack.adminPassword(),
            shown,
            stack.postgres().url("jobs"),
            shown);
  }
}
