package io.jobscheduler.localstack.load;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.localstack.load.JobMaker.Made;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Collectors;

/** What one thread of the load does, one thing after the other as it draws them. */
final class LoadActions {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int REMEMBERED = 400;

  /** A draw that hands in one: the first, since a short run at a low rate may draw none. */
  private static final int WORKFLOW = 65;

  /** So few that the one drawn was handed in seconds ago. */
  private static final int WAITING_FOR_CANCEL = 1;

  private final LoadPlan plan;
  private final LoadClient client;
  private final Ledger ledger;
  private final Random random;
  private final JobMaker maker;
  private final Probes probes;
  private final SqlDoor sql;
  private final List<Known> recent = new ArrayList<>();
  private final List<Known> toCancel = new ArrayList<>();
  private boolean begun;

  /** A job of this thread's that it may yet cancel, redrive or ask for in the wrong place. */
  private record Known(long job, String project, Expectation expectation) {}

  LoadActions(
      LoadPlan plan, LoadClient client, Ledger ledger, Random random, Map<String, String> keys) {
    this.plan = plan;
    this.client = client;
    this.ledger = ledger;
    this.random = random;
    this.maker = new JobMaker(random, plan.jobsPerSecond());
    this.probes = new Probes(client, ledger, keys, random);
    this.sql = new SqlDoor(plan, ledger, maker);
  }

  /** Draws one thing and does it. Returns once it is answered or given up. */
  void next() {
    String project = plan.projects().get(random.nextInt(plan.projects().size()));
    int drawn = begun ? random.nextInt(100) : WORKFLOW;
    begun = true;
    if (drawn < 30) {
      bulk(project);
    } else if (drawn < 45) {
      lines(project);
    } else if (drawn < 55) {
      sql.enqueue(project);
    } else if (drawn < 65) {
      one(project);
    } else if (drawn < 75) {
      workflow(project);
    } else if (drawn < 85) {
      cancel();
    } else if (drawn < 90) {
      redrive();
    } else if (drawn < 98) {
      probe();
    } else {
      trigger(project);
    }
  }

  private static String jobs(String project) {
    return "/projects/" + project + "/jobs";
  }

  private void bulk(String project) {
    List<Made> made = maker.many(20 + random.nextInt(30));
    List<Map<String, Object>> bodies = made.stream().map(Made::body).toList();
    Optional<LoadClient.Answer> answer = client.post(jobs(project) + "/bulk", bodies);
    accepted(answer, "bulk").ifPresent(body -> keep(project, made, body.path("items")));
  }

  private Optional<JsonNode> accepted(Optional<LoadClient.Answer> answer, String what) {
    if (answer.isPresent() && !answer.get().ok()) {
      ledger.unexpected(what + " answered " + answer.get().status() + " " + answer.get().text());
    }
    ledger.count(what);
    return answer.filter(LoadClient.Answer::ok).map(LoadClient.Answer::body);
  }

  private void keep(String project, List<Made> made, JsonNode items) {
    if (items.size() != made.size()) {
      ledger.unexpected("bulk of %d answered %d items".formatted(made.size(), items.size()));
    }
    for (int i = 0; i < made.size() && i < items.size(); i++) {
      keep(project, made.get(i), items.get(i).path("id").asLong());
    }
  }

  private void keep(String project, Made made, long job) {
    ledger.accepted(job, new Ledger.Accepted(project, made.queue(), made.expectation()));
    if (recent.size() < REMEMBERED) {
      recent.add(new Known(job, project, made.expectation()));
    } else {
      recent.set(random.nextInt(REMEMBERED), new Known(job, project, made.expectation()));
    }
  }

  /** One a line: each has its own key, since a connection that is cut leaves a part of them. */
  private void lines(String project) {
    List<Made> made = maker.many(15 + random.nextInt(20));
    made.forEach(job -> job.body().put("idempotencyKey", UUID.randomUUID().toString()));
    Optional<LoadClient.Answer> answer =
        client.postLines(jobs(project) + "/bulk", made.stream().map(Made::body).toList());
    ledger.count("lines");
    if (answer.isEmpty()) {
      return;
    }
    String[] lines = answer.get().text().split("\n", -1);
    if (!answer.get().ok()) {
      ledger.unexpected("lines answered " + answer.get().status() + " " + answer.get().text());
      return;
    }
    for (String line : lines) {
      if (!line.isBlank()) {
        keepLine(project, made, line);
      }
    }
  }

  private void keepLine(String project, List<Made> made, String line) {
    try {
      JsonNode told = JSON.readTree(line);
      int status = told.path("status").asInt();
      if (status / 100 == 2) {
        keep(project, made.get(told.path("line").asInt() - 1), told.path("id").asLong());
      } else if (status < 500 && status != 429 && status != 409) {
        ledger.unexpected("a line was answered " + line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(line, e);
    }
  }

  /** Sometimes one that holds a unique key: the answer then is the job that held it before. */
  private void one(String project) {
    Made made = maker.any();
    if (random.nextInt(3) == 0) {
      made.body().put("unique", Map.of("key", "only-" + random.nextInt(5)));
    }
    accepted(client.post(jobs(project), made.body()), "single")
        .filter(body -> !body.path("duplicate").asBoolean())
        .ifPresent(body -> keep(project, made, body.path("id").asLong()));
  }

  private void workflow(String project) {
    JobMaker.Flow flow = maker.workflow();
    accepted(client.post("/projects/" + project + "/workflows", flow.body()), "workflow")
        .ifPresent(
            body ->
                ledger.workflow(body.path("id").asLong(), new Ledger.Flow(project, !flow.fails())));
  }

  private Optional<Known> draw(Expectation expectation) {
    List<Known> fitting =
        recent.stream()
            .filter(known -> known.expectation() == expectation)
            .collect(Collectors.toList());
    return fitting.isEmpty()
        ? Optional.empty()
        : Optional.of(fitting.get(random.nextInt(fitting.size())));
  }

  /**
   * Mostly one that waits or runs, of those handed in here before; sometimes the newest of them,
   * which is about to, or one of long ago, which has mostly ended. Once asked for it is never asked
   * for again: what is answered as cancelled must stay so.
   */
  private void cancel() {
    String project = plan.projects().get(random.nextInt(plan.projects().size()));
    Made made = maker.toCancel();
    accepted(client.post(jobs(project), made.body()), "single")
        .map(body -> body.path("id").asLong())
        .ifPresent(
            job -> {
              ledger.accepted(job, new Ledger.Accepted(project, made.queue(), made.expectation()));
              toCancel.add(new Known(job, project, made.expectation()));
            });
    if (random.nextInt(5) == 0) {
      draw(Expectation.SUCCEEDS).ifPresent(this::cancel);
    }
    if (toCancel.size() > WAITING_FOR_CANCEL) {
      cancel(toCancel.remove(random.nextInt(toCancel.size())));
    }
  }

  private void cancel(Known known) {
    recent.remove(known);
    ledger.mayEndAnyhow(known.job());
    client
        .post(jobs(known.project()) + "/" + known.job() + "/cancel", Map.of("reason", "chaos"))
        .ifPresent(answer -> cancelled(known, answer));
  }

  private void cancelled(Known known, LoadClient.Answer answer) {
    ledger.count("cancel answered " + answer.status());
    if (answer.status() == 200) {
      ledger.cancelled(known.job());
    } else if (answer.status() != 202 && answer.status() != 409) {
      ledger.unexpected("cancel of " + known + " answered " + answer);
    }
  }

  private void redrive() {
    draw(Expectation.DIES)
        .ifPresent(
            known -> {
              String path = jobs(known.project()) + "/" + known.job();
              boolean dead =
                  client
                      .get(path)
                      .filter(answer -> answer.body().path("state").asText().equals("dead"))
                      .isPresent();
              if (dead) {
                client.post(path + "/retry", Map.of()).ifPresent(a -> redriven(known, a));
              }
            });
  }

  private void redriven(Known known, LoadClient.Answer answer) {
    ledger.count("redrive answered " + answer.status());
    if (answer.ok()) {
      ledger.redriven(known.job());
    } else if (answer.status() != 409) {
      ledger.unexpected("redrive of " + known + " answered " + answer);
    }
  }

  /** Goes for what another project has. */
  private void probe() {
    if (recent.isEmpty() || plan.projects().size() < 2) {
      return;
    }
    Known known = recent.get(random.nextInt(recent.size()));
    plan.projects().stream()
        .filter(project -> !project.equals(known.project()))
        .findFirst()
        .ifPresent(foreign -> probes.next(known.job(), known.project(), foreign));
  }

  private void trigger(String project) {
    client
        .post("/projects/" + project + "/schedules/every-2s/trigger", Map.of())
        .filter(answer -> !answer.ok() && answer.status() != 409)
        .ifPresent(answer -> ledger.unexpected("trigger answered " + answer));
  }
}
