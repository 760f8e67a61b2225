package io.jobscheduler.localstack.command;

import io.jobscheduler.localstack.LocalStack;
import io.jobscheduler.localstack.StackFolder;
import io.jobscheduler.localstack.client.ApiClient;
import io.jobscheduler.localstack.process.PidFile;
import io.jobscheduler.localstack.process.StackFailure;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/** What a running {@code make up} tells the other commands. */
public record RunningStack(URI api, URI dashboard, String adminEmail, String adminPassword) {
  static final String SUPERVISOR = "up";

  /** The pid file of the process that runs {@code make up}. */
  static PidFile supervisor(StackFolder folder) {
    return folder.pidFile(SUPERVISOR);
  }

  private static Path file(StackFolder folder) {
    return folder.run().resolve("stack.properties");
  }

  /** Written once everything is ready. Holds no secret: the password stays in its own file. */
  static void announce(LocalStack stack) {
    Properties properties = new Properties();
    properties.setProperty("api", stack.apiUrl().toString());
    properties.setProperty("dashboard", stack.dashboardUrl().toString());
    properties.setProperty("adminEmail", LocalStack.ADMIN_EMAIL);
    try (Writer writer = Files.newBufferedWriter(file(stack.folder()))) {
      properties.store(writer, null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void forget(StackFolder folder) {
    try {
      Files.deleteIfExists(file(folder));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The stack that runs in this folder.
   *
   * @throws StackFailure when none does
   */
  public static RunningStack find(StackFolder folder) {
    Path file = file(folder);
    if (supervisor(folder).running().isEmpty() || !Files.exists(file)) {
      throw new StackFailure("No stack is running here, or not all of it yet. Start it: make up");
    }
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
      return new RunningStack(
          URI.create(properties.getProperty("api")),
          URI.create(properties.getProperty("dashboard")),
          properties.getProperty("adminEmail"),
          Files.readString(folder.secrets().adminPasswordFile()).strip());
    } catch (IOException e) {
      throw new StackFailure("Cannot read what the running stack says: " + e.getMessage(), e);
    }
  }

  /** A client that is logged in as the first admin. */
  public ApiClient admin() {
    return new ApiClient(api).login(adminEmail, adminPassword);
  }
}
