package io.jobscheduler.worker.handlers;

import jakarta.inject.Singleton;
import org.jboss.logging.Logger;

/**
 * {@code log {message}}: writes the message to the worker's log, one line of at most 1,000
 * characters, and to the attempt's.
 */
@Singleton
public final class LogHandler implements JobHandler {
  private static final Logger LOG = Logger.getLogger(LogHandler.class);
  private static final int LONGEST = 1_000;

  @Override
  public String type() {
    return "log";
  }

  @Override
  public JobOutcome run(JobContext job) throws InvalidPayloadException {
    String message = PayloadFields.of(job.payload()).text("message");
    String line =
        message
            .codePoints()
            .limit(LONGEST)
            .map(LogHandler::onOneLine)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();
    job.log(AttemptNotes.Level.INFO, line);
    LOG.infof("Job says message=%s job_id=%d", line, job.jobId());
    return JobOutcome.done();
  }

  private static int onOneLine(int codePoint) {
    return Character.isISOControl(codePoint) ? ' ' : codePoint;
  }
}
