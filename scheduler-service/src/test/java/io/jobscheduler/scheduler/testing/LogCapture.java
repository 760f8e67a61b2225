package io.jobscheduler.scheduler.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jboss.logmanager.ExtLogRecord;

/** Collects what a class logs at INFO and above. */
public final class LogCapture extends Handler implements AutoCloseable {
  private final Logger logger;
  private final List<String> messages = new CopyOnWriteArrayList<>();

  private LogCapture(Logger logger) {
    this.logger = logger;
  }

  /** Begins to collect. */
  public static LogCapture of(Class<?> type) {
    LogCapture capture = new LogCapture(Logger.getLogger(type.getName()));
    capture.logger.addHandler(capture);
    return capture;
  }

  /** The formatted messages, in order. */
  public List<String> messages() {
    return List.copyOf(messages);
  }

  @Override
  public void publish(LogRecord record) {
    messages.add(ExtLogRecord.wrap(record).getFormattedMessage());
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
  }
}
