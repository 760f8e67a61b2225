package io.jobscheduler.api.workflows;

import io.jobscheduler.api.trail.Rehearsal;
import java.util.BitSet;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * What surgery does, or would do.
 *
 * @param dryRun whether nothing was changed
 * @param jobs the keys of the members that run again, or come back because of it
 * @param committed those of them that had succeeded: what they did is done a second time
 * @param left what is left to do in the workflow then
 */
@Schema(name = "SurgeryAnswer")
public record SurgeryAnswer(
    boolean dryRun, List<String> jobs, List<String> committed, Estimate left) implements Rehearsal {

  static SurgeryAnswer of(StoredGraph graph, BitSet again, int done, boolean dryRun) {
    return new SurgeryAnswer(
        dryRun,
        again.stream().filter(i -> i != done).mapToObj(i -> graph.member(i).key()).toList(),
        again.stream()
            .filter(i -> i != done && "succeeded".equals(graph.member(i).state()))
            .mapToObj(i -> graph.member(i).key())
            .toList(),
        Estimate.of(graph, again, done));
  }
}
