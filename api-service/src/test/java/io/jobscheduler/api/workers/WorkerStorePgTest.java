package io.jobscheduler.api.workers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.api.TestProjects;
import io.jobscheduler.api.paging.Count;
import io.jobscheduler.api.paging.Place;
import io.jobscheduler.schema.testing.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class WorkerStorePgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  private void register(int id, String patterns) {
    database.sql("SELECT register_worker(" + id + ", 'host', 1, '1', ARRAY[" + patterns + "], 8)");
  }

  private List<String> seenBy(int project) {
    return new WorkerStore(TestProjects.api(database))
        .listWorkers(project, Place.FIRST, 200).stream().map(Worker::id).sorted().toList();
  }

  @Test
  void aProjectSeesTheWorkersWhosePatternsFitOneOfItsQueues() {
    int shop = TestProjects.create(database, "my_shop");
    int other = TestProjects.create(database, "myXshop");
    database.sql("INSERT INTO queues (project_id, name) VALUES (" + shop + ", 'mail-eu')");
    register(1, "'*/*'");
    register(2, "'my_shop/*'");
    register(3, "'myXshop/default'");
    register(4, "'*/mail-*'");
    register(5, "'absent/*', 'my*/mail-eu'");
    register(6, "'*/absent'");
    register(7, "'my_shop/mail'");
    assertEquals(List.of("1", "2", "4", "5"), seenBy(shop));
    assertEquals(
        new Count(4, false), new WorkerStore(TestProjects.api(database)).countWorkers(shop));
    assertEquals(List.of("1", "3"), seenBy(other), "_ is a character, not a wildcard");
  }

  @Test
  void aProjectSeesNoPatternThatNamesOnlyOthers() {
    int shop = TestProjects.create(database, "shop");
    TestProjects.create(database, "secret");
    register(1, "'secret/*', 'shop/*', '*/default', '*/absent'");
    assertEquals(
        List.of("shop/*", "*/default"),
        new WorkerStore(TestProjects.api(database))
            .listWorkers(shop, Place.FIRST, 200)
            .get(0)
            .queues());
  }

  @Test
  void saysWhatBecameOfThem() {
    int project = TestProjects.create(database, "p");
    for (int id = 1; id <= 4; id++) {
      register(id, "'*/*'");
    }
    database.sql("SELECT beat(1, 5, false, '{}')");
    database.sql("SELECT beat(2, 1, true, '{}')");
    database.sql("UPDATE workers SET lost_at = now() WHERE id = 3");
    database.sql("SELECT stop_worker(4)");
    List<Worker> workers =
        new WorkerStore(TestProjects.api(database)).listWorkers(project, Place.FIRST, 200);
    assertEquals(
        List.of("1 active 5", "2 draining 1", "3 lost 0", "4 stopped 0"),
        workers.stream().map(w -> w.id() + " " + w.state() + " " + w.running()).sorted().toList());
    assertEquals(List.of("*/*"), workers.get(0).queues());
  }
}
