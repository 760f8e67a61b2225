package io.jobscheduler.api.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.api.TestProjects;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.schema.state.JobState;
import io.jobscheduler.schema.testing.TestDatabase;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** C153: an action is for the very jobs that the list shows under the same filter. */
class BulkMeaningPgTest {
  private static final int FILTERS = 60;

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private Jdbi jdbi;
  private JobLists lists;
  private int project;

  /** Jobs of every state, with a bit of everything that a filter can ask for. */
  @BeforeEach
  void fill() {
    jdbi = TestProjects.api(database);
    lists = TestJobLists.over(jdbi);
    project = TestProjects.create(database, "p");
    TestProjects.create(database, "q");
    database.sql("INSERT INTO queues (project_id, name) VALUES (1, 'other')");
    database.sql(
        "INSERT INTO schedules (project_id, name, kind, every_ms, anchor, template, job_type,"
            + " queue_id, next_fire_at) SELECT 1 + i / 2, 's' || i, 'interval', 60000, now(),"
            + " 'job', 't', 1 + i / 2, now() FROM generate_series(0, 2) AS s (i)");
    database.sql(
        "INSERT INTO workflows (project_id, name, job_count) VALUES (1, 'a', 1), (1, 'b', 1), (2,"
            + " 'c', 1)");
    StringBuilder inserts = new StringBuilder();
    for (JobState state : JobState.values()) {
      String table = state.isTerminal() ? "finished_jobs" : "jobs";
      boolean running = state == JobState.RUNNING;
      for (int i = 0; i < 25; i++) {
        int owner = random.nextInt(8) == 0 ? 2 : 1;
        int workflow = random.nextInt(4);
        String columns =
            "id, project_id, queue_id, type, state, created_at, tags, workflow_id, schedule_id,"
                + " worker_id, lease_token, ready_at, started_at, run_at"
                + (state.isTerminal()
                    ? ", finished_at, retain_until, attempt, max_attempts, attempt_rows, returned,"
                        + " priority, has_dependencies, has_dependents, error_fingerprint"
                    : ", dispatch_key");
        String values =
            "nextval('job_id_seq'), %d, %d, '%s', '%s', now() - %d * interval '1 min', %s, %s, %s, %s, %s, now(), now(), now()"
                    .formatted(
                        owner,
                        owner == 2 ? 2 : 1 + 2 * random.nextInt(2),
                        one("a", "b"),
                        state.label(),
                        random.nextInt(10),
                        one("NULL", "'{x}'", "'{x,y}'"),
                        workflow == 0 || owner == 2 ? "NULL" : String.valueOf(1 + workflow % 2),
                        owner == 2 ? "NULL" : one("NULL", "1", "2"),
                        running || state.isTerminal() ? one("7", "8") : "NULL",
                        running ? "nextval('lease_token_seq')" : "NULL")
                + (state.isTerminal()
                    ? ", now() - interval '1 s', current_date + %d, 1, 1, 0, 0, 4, false, false, %s"
                        .formatted(
                            random.nextInt(9),
                            state == JobState.DEAD ? one("'f1'", "'f2'", "NULL") : "NULL")
                    : ", 0");
        inserts.append("INSERT INTO %s (%s) VALUES (%s);".formatted(table, columns, values));
      }
    }
    database.sql(inserts.toString());
    database.sql(
        "INSERT INTO workflow_members (workflow_id, job_id, key) SELECT workflow_id, id, id::text"
            + " FROM all_jobs WHERE workflow_id IS NOT NULL");
  }

  private String one(String... choices) {
    return choices[random.nextInt(choices.length)];
  }

  private String maybe(String... choices) {
    return random.nextInt(3) == 0 ? one(choices) : null;
  }

  @Test
  void anActionIsForTheJobsThatTheListShows() {
    int shown = 0;
    for (int i = 0; i < FILTERS; i++) {
      List<String> states =
          Arrays.stream(JobState.values())
              .filter(s -> random.nextBoolean())
              .map(JobState::label)
              .toList();
      String queue = maybe("default", "other");
      String type = maybe("a", "b");
      String workflow = maybe("1", "2", "3");
      String schedule = maybe("s0", "s1");
      String error = random.nextInt(6) == 0 ? one("f1", "f2") : null;
      String tag = maybe("x", "y");
      String worker = random.nextInt(5) == 0 ? one("7", "8") : null;
      String minutes =
          "SELECT to_char((now() - %d * interval '1 min' - interval '30 s') AT TIME ZONE 'UTC',"
              + " 'YYYY-MM-DD\"T\"HH24:MI:SS.USZ')";
      String after = random.nextInt(4) == 0 ? database.sql(minutes.formatted(6)) : null;
      String before = random.nextInt(4) == 0 ? database.sql(minutes.formatted(2)) : null;
      JobFilter filter =
          JobFilter.of(states, queue, type, workflow)
              .ofSchedule(schedule)
              .ofError(error)
              .matching(JobSearch.of(tag, worker, after, before, Map.of()));
      Map<String, Object> spec = new HashMap<>();
      spec.put("states", filter.states().stream().map(JobState::label).toList());
      spec.put("queue_ids", queue == null ? null : List.of(queue.equals("default") ? 1 : 3));
      spec.put("type", type);
      spec.put("workflow_id", workflow);
      spec.put(
          "schedule_id", schedule == null ? null : 1 + Integer.parseInt(schedule.substring(1)));
      spec.put("error", error);
      spec.put("tag", tag);
      spec.put("worker_id", worker);
      spec.put("created_after", after);
      spec.put("created_before", before);

      TreeSet<Long> listed = listed(filter);
      assertEquals(listed, counted(spec), "seed " + seed + ": " + spec);
      shown += listed.isEmpty() ? 0 : 1;
    }
    assertTrue(shown > FILTERS / 5, shown + " filters show something, seed " + seed);
  }

  private TreeSet<Long> listed(JobFilter filter) {
    TreeSet<Long> ids = new TreeSet<>();
    String cursor = null;
    do {
      JobLists.JobPage page =
          lists.list(project, filter, Cursor.number(cursor, Long.MAX_VALUE), 200);
      ids.addAll(page.items().stream().map(j -> Long.valueOf(j.id())).collect(Collectors.toSet()));
      cursor = page.nextCursor();
    } while (cursor != null);
    return ids;
  }

  private TreeSet<Long> counted(Map<String, Object> spec) {
    try {
      String json = new ObjectMapper().writeValueAsString(spec);
      return jdbi.withHandle(
          h ->
              h.createQuery(
                      "SELECT unnest(p.samples) FROM jobs.preview_bulk_action(:project,"
                          + " :spec::jsonb, NULL, 10000, 100000, 10000) p")
                  .bind("project", project)
                  .bind("spec", json)
                  .mapTo(Long.class)
                  .collect(Collectors.toCollection(TreeSet::new)));
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
