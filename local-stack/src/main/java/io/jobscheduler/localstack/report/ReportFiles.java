package io.jobscheduler.localstack.report;

import java.nio.file.Path;

/** Writes {@code chaos-report.json} and {@code chaos-report.html}. */
public final class ReportFiles {
  private ReportFiles() {}

  /** Writes both into a folder, made when missing; returns the page. */
  public static Path write(Path folder, ChaosReport report) {
    throw new UnsupportedOperationException("comes with the report: " + report.seed() + folder);
  }
}
