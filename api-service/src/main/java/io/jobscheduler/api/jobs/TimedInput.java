package io.jobscheduler.api.jobs;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/**
 * A stream that cannot be read any more once its time is over. A read that waits is not ended: the
 * server does that, by its read timeout.
 */
final class TimedInput extends FilterInputStream {
  private final long end;

  TimedInput(InputStream in, Duration time) {
    super(in);
    this.end = System.nanoTime() + time.toNanos();
  }

  /** That the time is over. */
  static final class Late extends IOException {
    private static final long serialVersionUID = 1L;
  }

  @Override
  public int read() throws IOException {
    requireTime();
    return super.read();
  }

  @Override
  public int read(byte[] to, int from, int most) throws IOException {
    requireTime();
    return super.read(to, from, most);
  }

  private void requireTime() throws Late {
    if (System.nanoTime() - end >= 0) {
      throw new Late();
    }
  }
}
