package io.jobscheduler.localstack.chaos;

import io.jobscheduler.localstack.GivenDatabase;
import io.jobscheduler.localstack.LocalStack;
import io.jobscheduler.localstack.StackBuilder;
import io.jobscheduler.localstack.StackFolder;
import io.jobscheduler.localstack.faults.Fleet;
import io.jobscheduler.localstack.faults.Pooler;
import io.jobscheduler.localstack.service.Service;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The system that a scenario breaks: stack, fleet and pooler. */
final class ChaosFleet implements AutoCloseable {
  /** For everybody the same, as in containers that were cloned. */
  private static final String HOST = "chaos";

  private final LocalStack stack;
  private final Fleet fleet;
  private final @Nullable Pooler pooler;
  private final Path effects;
  private final Thread atExit = new Thread(this::stop, "chaos-exit");

  private ChaosFleet(LocalStack stack, @Nullable Pooler pooler, Path effects) {
    this.stack = stack;
    this.fleet = new Fleet(stack);
    this.pooler = pooler;
    this.effects = effects;
  }

  /** Starts it all and waits until it is ready. */
  static ChaosFleet start(
      Size size, Path home, Path binaries, @Nullable String databaseUrl, Consumer<String> out) {
    StackFolder folder = new StackFolder(home);
    StackBuilder builder =
        LocalStack.builder(home)
            .services()
            // No fault here makes the machine crash, so nothing is lost that was written.
            .postgres("fsync", "off")
            .postgres("max_connections", "120")
            .postgresBinaries(binaries)
            .progress(out);
    if (size.quickStart()) {
      builder.quickStart();
    }
    if (databaseUrl != null) {
      String name = "jobs_chaos_" + UUID.randomUUID().toString().substring(0, 13).replace('-', '_');
      builder.database(new GivenDatabase(databaseUrl, name, folder));
    }
    LocalStack stack = builder.build();
    Optional<Pooler> pooler = size.pooled() == 0 ? Optional.empty() : Pooler.find(stack);
    ChaosFleet made = new ChaosFleet(stack, pooler.orElse(null), folder.home().resolve("effects"));
    Runtime.getRuntime().addShutdownHook(made.atExit);
    boolean ready = false;
    try {
      stack.start();
      pooler.ifPresent(Pooler::start);
      made.fleet.start(made.parts(size));
      ready = true;
      return made;
    } finally {
      if (!ready) {
        made.close();
      }
    }
  }

  private List<Fleet.Part> parts(Size size) {
    Map<String, String> worker = new HashMap<>();
    worker.put("JOBS_WORKER_SLOTS", Integer.toString(size.slots()));
    worker.put("JOBS_WORKER_EFFECTS_FOLDER", effects.toString());
    return List.of(
        part(Service.API, size.apis(), size.pooled(), Map.of()),
        part(Service.SCHEDULER, size.schedulers(), size.pooled(), Map.of()),
        part(Service.WORKER, size.workers(), size.pooled(), worker));
  }

  private Fleet.Part part(Service service, int count, int pooled, Map<String, String> own) {
    List<Map<String, String>> environments = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Map<String, String> variables = new HashMap<>(own);
      variables.put("HOSTNAME", HOST);
      if (pooler != null && i >= count - pooled) {
        variables.putAll(pooler.variables());
      }
      environments.add(variables);
    }
    return new Fleet.Part(service, environments);
  }

  LocalStack stack() {
    return stack;
  }

  Fleet fleet() {
    return fleet;
  }

  @Nullable Pooler pooler() {
    return pooler;
  }

  /** Where workers write what they do. */
  Path effects() {
    return effects;
  }

  private void stop() {
    stack.close();
    fleet.close();
    if (pooler != null) {
      pooler.close();
    }
  }

  @Override
  public void close() {
    stop();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException exiting) {
      // The hook does it once more, and finds nothing.
    }
  }
}
