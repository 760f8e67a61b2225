package io.jobscheduler.api.json;

import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.problem.Violations;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads a request's body whole, up to a limit. */
public final class JsonBody {
  /** Bodies of ordinary requests. */
  public static final int SMALL = 64 * 1024;

  /** The largest payload that may be configured, and room for what surrounds it. */
  public static final int LARGE = 4 * 1024 * 1024 + 256 * 1024;

  /** 20,000 jobs with small payloads and 200,000 dependencies between them. */
  public static final int GRAPH = 24 * 1024 * 1024;

  private static final int FIRST_READ = 8 * 1024;
  // What is too large is read on for a while, so that the client hears the answer and not a reset.
  private static final int DRAINED = 8 * 1024 * 1024;

  private JsonBody() {}

  /**
   * Reads a body with {@code parse} and answers all violations at once.
   *
   * @param in the body; null when there is none
   * @param mostBytes its largest size
   * @throws ProblemException 413, 400 or 422
   */
  public static <T> T read(
      @Nullable InputStream in, int mostBytes, Function<JsonReader, @Nullable T> parse) {
    return read(bytes(in, mostBytes), parse);
  }

  /** Like {@link #read(InputStream, int, Function)}, of a body that was read before. */
  public static <T> T read(byte[] body, Function<JsonReader, @Nullable T> parse) {
    Violations violations = new Violations();
    JsonReader reader = new JsonReader(body, violations);
    T value = parse.apply(reader);
    reader.end();
    violations.throwIfAny();
    if (value == null) {
      throw new IllegalStateException("a reader returned nothing and named no violation");
    }
    return value;
  }

  /**
   * Like {@link #read}, of a body that may be absent.
   *
   * @param absent what an empty body stands for
   */
  public static <T> T readOr(
      T absent, @Nullable InputStream in, int mostBytes, Function<JsonReader, @Nullable T> parse) {
    byte[] body = bytes(in, mostBytes);
    return body.length == 0 ? absent : read(body, parse);
  }

  /**
   * The bytes of a body; none when there is no body.
   *
   * @throws ProblemException 413
   */
  public static byte[] bytes(@Nullable InputStream in, int mostBytes) {
    if (in == null) {
      return new byte[0];
    }
    try {
      byte[] body = in.readNBytes(mostBytes + 1);
      if (body.length <= mostBytes) {
        return body;
      }
      drain(in);
    } catch (IOException e) {
      throw ProblemException.of(ProblemType.BAD_REQUEST, "The body could not be read to its end.");
    }
    throw ProblemException.of(
        ProblemType.PAYLOAD_TOO_LARGE, "The body may have at most " + mostBytes + " bytes here.");
  }

  private static void drain(InputStream in) throws IOException {
    byte[] unused = new byte[FIRST_READ];
    int drained = 0;
    int read;
    while (drained < DRAINED && (read = in.read(unused)) >= 0) {
      drained += read;
    }
  }
}
