package io.jobscheduler.localstack.judge;

import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;

/** Puts together, job by job, what tables and effect log have of it: a merge of sorted streams. */
final class Dossiers {
  private Dossiers() {}

  /** Hands over one dossier for each job that any source names, by id. */
  static void forEach(RecordStore records, List<Effect> effects, Consumer<Dossier> each)
      throws SQLException {
    int at = 0;
    try (Rows<JobRow> jobs = records.jobs();
        Rows<Lease> attempts = records.attempts()) {
      while (true) {
        long ran = at < effects.size() ? effects.get(at).job : Long.MAX_VALUE;
        long id = Math.min(ran, Math.min(jobs.key(JobRow::id), attempts.key(Lease::job)));
        if (id == Long.MAX_VALUE) {
          return;
        }
        int from = at;
        while (at < effects.size() && effects.get(at).job == id) {
          at++;
        }
        each.accept(
            Dossier.of(
                id,
                jobs.takeAll(id, JobRow::id),
                attempts.takeAll(id, Lease::job),
                effects.subList(from, at)));
      }
    }
  }
}
