package io.jobscheduler.api.jobs;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.json.Lines;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Jobs by the line (application/x-ndjson): read, stored and answered batch by batch while the rest
 * is still on its way. Memory: one batch. Thread-safe.
 *
 * <p>A line is answered after it was judged: with success after its transaction has committed. A
 * broken line is answered and does not stop the others. When the connection ends, what was read is
 * still stored, and nothing else.
 */
@ApplicationScoped
class LineStream {
  static final int MOST_LINES = 100_000;
  static final int LINES_OF_BATCH = 200;
  static final int BYTES_OF_BATCH = 1024 * 1024;

  private final LineBatch batches;
  private final ObjectMapper json;

  LineStream(LineBatch batches, ObjectMapper json) {
    this.batches = batches;
    this.json = json;
  }

  /** Answers every line of {@code in} on a line of {@code out}, in order. */
  void answer(
      Grant grant, int mostPayloadBytes, @Nullable String trace, InputStream in, OutputStream out)
      throws IOException {
    Lines lines = new Lines(in, JsonBody.LARGE);
    Batch batch = new Batch(grant, out);
    int number = 0;
    byte[] line;
    while ((line = lines.next()) != null) {
      number++;
      if (number > MOST_LINES) {
        batch.refuse(number, tooLarge("At most " + MOST_LINES + " lines are accepted."));
        break;
      }
      if (line == Lines.TOO_LONG) {
        batch.refuse(number, tooLarge("A line may have at most " + JsonBody.LARGE + " bytes."));
      } else if (!isBlank(line)) {
        try {
          JobLine job = JobLine.read(number, line, mostPayloadBytes, trace);
          Enqueuer.requireReach(grant, List.of(job.job()));
          batch.add(job);
        } catch (ProblemException e) {
          batch.refuse(number, e);
        }
      }
      if (batch.isFull() || !lines.ready()) {
        batch.flush();
      }
    }
    batch.flush();
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
    private final Grant grant;
    private final OutputStream out;
    private final List<JobLine> jobs = new ArrayList<>();
    private final List<LineAnswer> refused = new ArrayList<>();
    private int bytes;

    Batch(Grant grant, OutputStream out) {
      this.grant = grant;
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

    void flush() throws IOException {
      if (jobs.isEmpty() && refused.isEmpty()) {
        return;
      }
      List<LineAnswer> answers = new ArrayList<>(refused);
      if (!jobs.isEmpty()) {
        answers.addAll(batches.enqueue(grant, jobs));
      }
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
    }
  }
}
