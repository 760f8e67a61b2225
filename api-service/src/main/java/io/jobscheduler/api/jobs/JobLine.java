package io.jobscheduler.api.jobs;

import io.jobscheduler.api.idempotency.Idempotency;
import io.jobscheduler.api.idempotency.RequestHash;
import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.json.JsonReader;
import org.jspecify.annotations.Nullable;

/**
 * A job on a line of its own.
 *
 * @param number of the line, from 1
 * @param key its idempotencyKey; null when it has none
 * @param hash by which the same line is recognised
 * @param bytes how long the line is
 */
record JobLine(int number, JobRequest job, @Nullable String key, byte[] hash, int bytes) {
  private static final int LONGEST_KEY = 255;

  /**
   * Reads a line.
   *
   * @throws io.jobscheduler.api.problem.ProblemException 400, 413 or 422
   */
  static JobLine read(int number, byte[] line, int mostPayloadBytes, @Nullable String trace) {
    String[] key = new String[1];
    JobRequest job = JsonBody.read(line, in -> read(in, mostPayloadBytes, key));
    return new JobLine(
        number,
        job.withTraceparent(trace),
        key[0],
        key[0] == null ? new byte[0] : RequestHash.of("line", line),
        line.length);
  }

  private static @Nullable JobRequest read(JsonReader in, int mostPayloadBytes, String[] key) {
    return JobRequestReader.readJob(
        in,
        mostPayloadBytes,
        field -> {
          if (!field.equals("idempotencyKey")) {
            return false;
          }
          key[0] = Fields.text(in, 1, LONGEST_KEY);
          if (key[0] != null) {
            Idempotency.requireKey(key[0]);
          }
          return true;
        });
  }
}
