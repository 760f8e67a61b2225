package io.jobscheduler.api.jobs;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.json.Lines;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Jobs by the line (application/x-ndjson): read, stored and answered batch by batch while the rest
 * is still on its way. Memory: one batch. Thread-safe.
 *
 * <p>A line is answered after it was judged: with success after its transaction has committed. A
 * broken line is answered and does not stop the others. When the connection ends, what was read is
 * still stored, and nothing else. The caller's rights are asked for anew before each batch, and a
 * stream ends with a refusal once they are gone, or its time is over. So many run at once.
 */
@ApplicationScoped
class LineStream {
  static final int MOST_LINES = 100_000;
  static final int LINES_OF_BATCH = 200;
  static final int BYTES_OF_BATCH = 1024 * 1024;

  private final LineBatch batches;
  private final ObjectMapper json;
  private final Duration time;
  private final Semaphore streams;

  @Inject
  LineStream(LineBatch batches, ObjectMapper json, JobLimits limits) {
    this(batches, json, limits.streamTime(), limits.streams());
  }

  LineStream(LineBatch batches, ObjectMapper json, Duration time, int streams) {
    this.batches = batches;
    this.json = json;
    this.time = time;
    this.streams = new Semaphore(streams);
  }

  /**
   * Answers every line of {@code in} on a line of {@code out}, in order.
   *
   * @param authority what the caller may do now; throws when that is nothing any more
   * @throws ProblemException 429 when too many streams run, before anything is read or written
   */
  void answer(
      Supplier<Grant> authority,
      int mostPayloadBytes,
      @Nullable String trace,
      InputStream in,
      OutputStream out)
      throws IOException {
    if (!streams.tryAcquire()) {
      throw ProblemException.retryAfter(
          ProblemType.TOO_MANY_REQUESTS,
          "As many requests by the line as this server takes at once are under way.",
          Duration.ofSeconds(1));
    }
    try {
      answerLines(new Batch(authority, out), mostPayloadBytes, trace, new TimedInput(in, time));
    } finally {
      streams.release();
    }
  }

  private void answerLines(
      Batch batch, int mostPayloadBytes, @Nullable String trace, InputStream in)
      throws IOException {
    Lines lines = new Lines(in, JsonBody.LARGE);
    int number = 0;
    while (true) {
      byte[] line;
      try {
        line = lines.next();
      } catch (TimedInput.Late e) {
        batch.refuse(number + 1, late());
        break;
      }
      if (line == null) {
        break;
      }
      number++;
      if (number > MOST_LINES) {
        batch.refuse(number, tooLarge("At most " + MOST_LINES + " lines are accepted."));
        break;
      }
      if (line == Lines.TOO_LONG) {
        batch.refuse(number, tooLarge("A line may have at most " + JsonBody.LARGE + " bytes."));
      } else if (!isBlank(line)) {
        try {
          batch.add(JobLine.read(number, line, mostPayloadBytes, trace));
        } catch (ProblemException e) {
          batch.refuse(number, e);
        }
      }
      if ((batch.isFull() || !lines.ready()) && !batch.flush()) {
        return;
      }
    }
    batch.flush();
  }

  private ProblemException late() {
    return ProblemException.of(
        ProblemType.SERVICE_UNAVAILABLE,
        "The time of one request, " + time + ", is over. Send the rest in another one.");
  }

  private static ProblemException tooLarge(String detail) {
    return ProblemException.of(ProblemType.PAYLOAD_TOO_LARGE, detail);
  }

  private static boolean isBlank(byte[] line) {
    for (byte b : line) {
      if (b != ' ' && b != '\t' && b != '\r') {
        return false;
      }
    }
    return true;
  }

  /** Lines that wait for their transaction, and answers that wait for them. */
  private final class Batch {
    private final Supplier<Grant> authority;
    private final OutputStream out;
    private final List<JobLine> jobs = new ArrayList<>();
    private final List<LineAnswer> refused = new ArrayList<>();
    private int bytes;

    Batch(Supplier<Grant> authority, OutputStream out) {
      this.authority = authority;
      this.out = out;
    }

    void add(JobLine job) {
      jobs.add(job);
      bytes += job.bytes();
    }

    void refuse(int number, ProblemException problem) {
      refused.add(LineAnswer.of(number, problem));
    }

    boolean isFull() {
      return jobs.size() + refused.size() >= LINES_OF_BATCH || bytes >= BYTES_OF_BATCH;
    }

    /** Whether the stream may go on. */
    boolean flush() throws IOException {
      if (jobs.isEmpty() && refused.isEmpty()) {
        return true;
      }
      List<LineAnswer> answers = new ArrayList<>();
      boolean allowed = enqueue(answers);
      answers.addAll(refused);
      answers.sort(Comparator.comparingInt(LineAnswer::line));
      StringBuilder text = new StringBuilder();
      for (LineAnswer answer : answers) {
        text.append(json.writeValueAsString(answer)).append('\n');
      }
      out.write(text.toString().getBytes(StandardCharsets.UTF_8));
      out.flush();
      jobs.clear();
      refused.clear();
      bytes = 0;
      return allowed;
    }

    private boolean enqueue(List<LineAnswer> answers) {
      Grant grant;
      try {
        grant = authority.get();
      } catch (ProblemException e) {
        jobs.forEach(job -> answers.add(LineAnswer.of(job.number(), e)));
        return false;
      }
      List<JobLine> reached = new ArrayList<>();
      for (JobLine job : jobs) {
        try {
          Enqueuer.requireReach(grant, List.of(job.job()));
          reached.add(job);
        } catch (ProblemException e) {
          answers.add(LineAnswer.of(job.number(), e));
        }
      }
      if (!reached.isEmpty()) {
        answers.addAll(batches.enqueue(grant, reached));
      }
      return true;
    }
  }
}
