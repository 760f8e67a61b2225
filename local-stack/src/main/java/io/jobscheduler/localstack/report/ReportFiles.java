package io.jobscheduler.localstack.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes {@code chaos-report.json} and {@code chaos-report.html}. */
public final class ReportFiles {
  public static final String JSON = "chaos-report.json";
  public static final String PAGE = "chaos-report.html";

  private ReportFiles() {}

  /**
   * Writes both into a folder, made when missing; returns the page.
   *
   * @throws UncheckedIOException when they cannot be written
   */
  public static Path write(Path folder, ChaosReport report) {
    try {
      Files.createDirectories(folder);
      Files.writeString(folder.resolve(JSON), ReportJson.of(report));
      return Files.writeString(folder.resolve(PAGE), ReportPage.of(report));
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot write the chaos report.", e);
    }
  }
}
