package io.jobscheduler.localstack.judge;

import io.jobscheduler.localstack.load.Ledger;
import io.jobscheduler.localstack.postgres.Database;
import java.nio.file.Path;
import java.util.Set;

/**
 * What a run left behind.
 *
 * @param database with the product's records
 * @param effects the folder that every worker had as {@code jobs.worker.effects-folder}
 * @param ledger what the load was promised
 * @param observations what was seen while it ran
 * @param drained whether the load was let run out: every accepted job must then have ended
 * @param cutOff process ids of workers that could not reach the database for a while, and that
 *     nothing kept from running: their fences must have held
 */
public record Evidence(
    Database database,
    Path effects,
    Ledger ledger,
    Observations observations,
    boolean drained,
    Set<Long> cutOff) {
  public Evidence {
    cutOff = Set.copyOf(cutOff);
  }
}
