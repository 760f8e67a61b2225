package io.jobscheduler.api.jobs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.database.Patience;
import io.jobscheduler.api.idempotency.Answers;
import io.jobscheduler.api.idempotency.Idempotency;
import io.jobscheduler.api.idempotency.Scope;
import io.jobscheduler.api.idempotency.StoredAnswer;
import io.jobscheduler.api.problem.FieldError;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Hands in jobs of some lines in one transaction, each with an answer of its own. Thread-safe.
 *
 * <p>Idempotency keys are looked up before and recorded in the same transaction; a key that another
 * request records meanwhile undoes the transaction, and it is tried again, now finding it.
 */
@ApplicationScoped
class LineBatch {
  private static final int TRIES = 5;

  private final Jdbi jdbi;
  private final Admission admission;
  private final BoundedQueues bounded;
  private final Enqueuer enqueuer;
  private final Answers answers;
  private final ObjectMapper json;

  LineBatch(
      Jdbi jdbi,
      Admission admission,
      BoundedQueues bounded,
      Enqueuer enqueuer,
      Answers answers,
      ObjectMapper json) {
    this.jdbi = jdbi;
    this.admission = admission;
    this.bounded = bounded;
    this.enqueuer = enqueuer;
    this.answers = answers;
    this.json = json;
  }

  /** A transaction that must not commit. */
  private static final class Undo extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final boolean full;

    Undo(boolean full) {
      super(null, null, false, false);
      this.full = full;
    }
  }

  /** An answer for each line, in order; what is answered with success has committed. */
  List<LineAnswer> enqueue(Grant grant, List<JobLine> lines) {
    for (int tries = 0; tries < TRIES; tries++) {
      List<Verdict> verdicts = new ArrayList<>();
      try {
        List<LineAnswer> found = Patience.in(jdbi, h -> again(h, grant, lines, verdicts));
        enqueuer.told(grant, verdicts);
        return found;
      } catch (Undo undo) {
        if (undo.full) {
          return lines.size() == 1
              ? List.of(LineAnswer.of(lines.get(0).number(), full(lines.get(0))))
              : oneByOne(grant, lines);
        }
      }
    }
    return lines.stream().map(l -> LineAnswer.of(l.number(), busy())).toList();
  }

  /** With a full queue among them, what fits goes in and the rest is refused. */
  private List<LineAnswer> oneByOne(Grant grant, List<JobLine> lines) {
    List<LineAnswer> all = new ArrayList<>();
    for (JobLine line : lines) {
      if (line.key() == null && bounded.full(grant.projectId(), List.of(line.job())).isPresent()) {
        all.add(LineAnswer.of(line.number(), full(line)));
      } else {
        all.addAll(enqueue(grant, List.of(line)));
      }
    }
    return all;
  }

  private static ProblemException full(JobLine line) {
    return Enqueuer.full(line.job().queue());
  }

  private static ProblemException busy() {
    return ProblemException.of(
        ProblemType.IN_FLIGHT, "A request with this idempotencyKey is being answered.");
  }

  private List<LineAnswer> again(
      Handle h, Grant grant, List<JobLine> lines, List<Verdict> verdicts) {
    verdicts.clear();
    return enqueue(h, grant, lines, verdicts);
  }

  private List<LineAnswer> enqueue(
      Handle h, Grant grant, List<JobLine> lines, List<Verdict> verdicts) {
    Scope scope = Scope.ofProject(grant.projectId());
    Map<String, StoredAnswer> before =
        answers.find(h, scope, lines.stream().map(JobLine::key).filter(k -> k != null).toList());
    LineAnswer[] result = new LineAnswer[lines.size()];
    Verdict[] unreached = new Verdict[lines.size()];
    if (grant.queues() != null) {
      // What another caller was answered may tell of jobs that this one does not reach.
      Dependents.refuseUnknown(h, grant, lines.stream().map(JobLine::job).toList(), unreached);
    }
    Map<String, Integer> firstOfKey = new TreeMap<>();
    List<Integer> fresh = new ArrayList<>();
    for (int i = 0; i < result.length; i++) {
      JobLine line = lines.get(i);
      String key = line.key();
      if (unreached[i] != null) {
        result[i] = answer(line.number(), unreached[i]);
      } else if (key == null) {
        fresh.add(i);
      } else if (before.get(key) != null) {
        result[i] = replay(line, before.get(key));
      } else if (firstOfKey.putIfAbsent(key, i) == null) {
        fresh.add(i);
      }
    }
    if (!fresh.isEmpty()) {
      verdicts.addAll(
          admission.enqueue(h, grant, fresh.stream().map(i -> lines.get(i).job()).toList()));
    }
    for (int n = 0; n < fresh.size(); n++) {
      if (verdicts.get(n) instanceof Verdict.Full) {
        throw new Undo(true);
      }
    }
    for (int n = 0; n < fresh.size(); n++) {
      int i = fresh.get(n);
      result[i] = answer(lines.get(i).number(), verdicts.get(n));
    }
    record(h, scope, lines, firstOfKey, result);
    for (int i = 0; i < result.length; i++) {
      if (result[i] == null) {
        result[i] = again(lines, result, i, firstOfKey);
      }
    }
    return Reach.hideHolders(h, grant, List.of(result));
  }

  /** A line whose key an earlier one of the batch has. */
  private static LineAnswer again(
      List<JobLine> lines, LineAnswer[] result, int i, Map<String, Integer> firstOfKey) {
    int first = firstOfKey.getOrDefault(String.valueOf(lines.get(i).key()), i);
    int number = lines.get(i).number();
    return Arrays.equals(lines.get(first).hash(), lines.get(i).hash())
        ? result[first].again(number)
        : LineAnswer.of(number, Idempotency.mismatch());
  }

  private static LineAnswer answer(int number, Verdict verdict) {
    if (verdict instanceof Verdict.Created created) {
      return LineAnswer.of(number, created);
    } else if (verdict instanceof Verdict.Duplicate duplicate) {
      return LineAnswer.of(number, duplicate);
    } else if (verdict instanceof Verdict.Rejected rejected) {
      return LineAnswer.of(
          number, ProblemException.at(ProblemType.CONFLICT, "/unique", Enqueuer.held(rejected)));
    } else if (verdict instanceof Verdict.UnknownQueue queue) {
      return LineAnswer.of(
          number,
          ProblemException.at(
              ProblemType.VALIDATION_FAILED, "/queue", Enqueuer.unknownQueue(queue)));
    }
    if (verdict instanceof Verdict.UnknownJobs unknown) {
      return LineAnswer.of(
          number,
          ProblemException.in(
              ProblemType.VALIDATION_FAILED,
              Need.UNKNOWN,
              unknown.pointers().stream().map(p -> new FieldError(p, Need.UNKNOWN)).toList()));
    }
    throw new IllegalStateException("a job without a verdict");
  }

  private void record(
      Handle h,
      Scope scope,
      List<JobLine> lines,
      Map<String, Integer> firstOfKey,
      LineAnswer[] result) {
    // In key order, so that two batches never wait for each other in a circle.
    SortedMap<String, StoredAnswer> fresh = new TreeMap<>();
    firstOfKey.forEach(
        (key, i) -> {
          if (result[i].status() < 300) {
            fresh.put(key, stored(lines.get(i), result[i]));
          }
        });
    if (!answers.insert(h, scope, fresh)) {
      throw new Undo(false);
    }
  }

  private StoredAnswer stored(JobLine line, LineAnswer answer) {
    try {
      return new StoredAnswer(line.hash(), answer.status(), null, json.writeValueAsString(answer));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private LineAnswer replay(JobLine line, @Nullable StoredAnswer before) {
    Optional<String> body =
        Optional.ofNullable(before).filter(b -> b.isOf(line.hash())).map(StoredAnswer::body);
    if (body.isEmpty()) {
      return LineAnswer.of(line.number(), Idempotency.mismatch());
    }
    try {
      return json.readValue(body.get(), LineAnswer.class).again(line.number());
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
