package io.jobscheduler.api.json;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Splits a stream into its lines, one at a time. Memory: one line of at most {@code mostBytes}. Not
 * thread-safe.
 */
public final class Lines {
  private static final int FIRST = 8 * 1024;

  /** What stands for a line that is too long; its rest was passed over. */
  public static final byte[] TOO_LONG = {};

  private final InputStream in;
  private final int mostBytes;
  private final byte[] buffer = new byte[FIRST];
  private int from;
  private int to;

  /** Lines of {@code in} that have at most {@code mostBytes} bytes. */
  public Lines(InputStream in, int mostBytes) {
    this.in = in;
    this.mostBytes = mostBytes;
  }

  /** The next line without its end; {@link #TOO_LONG} itself; null at the end of the stream. */
  public byte @Nullable [] next() throws IOException {
    byte[] line = new byte[FIRST];
    int length = 0;
    boolean any = false;
    while (from < to || fill()) {
      any = true;
      int end = from;
      while (end < to && buffer[end] != '\n') {
        end++;
      }
      int some = end - from;
      if (length <= mostBytes) {
        if (length + some > line.length) {
          line =
              Arrays.copyOf(
                  line, Math.min(mostBytes + FIRST, Math.max(2 * line.length, length + some)));
        }
        System.arraycopy(buffer, from, line, length, some);
        length += some;
      }
      boolean ended = end < to;
      from = ended ? end + 1 : end;
      if (ended) {
        break;
      }
    }
    if (!any) {
      return null;
    }
    return length > mostBytes ? TOO_LONG : Arrays.copyOf(line, length);
  }

  /** Whether more than the beginning of a line is there without waiting for the sender. */
  public boolean ready() throws IOException {
    for (int i = from; i < to; i++) {
      if (buffer[i] == '\n') {
        return true;
      }
    }
    return in.available() > 0;
  }

  private boolean fill() throws IOException {
    from = 0;
    to = Math.max(0, in.read(buffer));
    return to > 0;
  }
}
