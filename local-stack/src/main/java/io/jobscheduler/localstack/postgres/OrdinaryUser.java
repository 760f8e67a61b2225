package io.jobscheduler.localstack.postgres;

import io.jobscheduler.localstack.process.StackFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * PostgreSQL, as PgBouncer, refuses to run as root. Inside a user namespace without a mapping, root
 * is nobody in its own eyes and still the owner of its files: {@code unshare -U}.
 */
public final class OrdinaryUser {
  private static final List<String> UNSHARE = List.of("unshare", "-U");

  private OrdinaryUser() {}

  /**
   * The words to put before a command of PostgreSQL: none, unless this is root.
   *
   * @throws StackFailure when this is root and the system does not allow user namespaces
   */
  public static List<String> prefix() {
    if (!idOf(List.of()).equals("0")) {
      return List.of();
    }
    String inside = idOf(UNSHARE);
    if (inside.isEmpty() || inside.equals("0")) {
      throw new StackFailure(
          "PostgreSQL does not run as root, and `unshare -U` is not allowed here:"
              + " run this as an ordinary user.");
    }
    return UNSHARE;
  }

  private static String idOf(List<String> prefix) {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of("id", "-u"));
    try {
      Process id = new ProcessBuilder(command).redirectErrorStream(true).start();
      String out = new String(id.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      return id.waitFor() == 0 ? out : "";
    } catch (IOException noSuchProgram) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
