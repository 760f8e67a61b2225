package io.jobscheduler.localstack;

import io.jobscheduler.localstack.command.Leftovers;
import io.jobscheduler.localstack.service.Service;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * The one stack of all end-to-end tests, given to their constructors as {@link LocalStack}. Started
 * by the first that asks, ended with the last. A failed test is followed by the ends of the logs.
 */
final class SharedStack implements ParameterResolver, AfterTestExecutionCallback {
  /** Slots of the worker: more than cores, since the tests' jobs mostly sleep. */
  static final int SLOTS = 64;

  static final Path TARGET = Path.of("target").toAbsolutePath();
  private static final Path FOLDER = TARGET.resolve("e2e");
  private static final Path BINARIES = TARGET.resolve("postgres-binaries");
  private static final int TAIL = 40;

  /** A stack that ends with the test run; held by JUnit's root context. */
  private record Held(LocalStack stack) implements AutoCloseable {
    @Override
    public void close() {
      stack.close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == LocalStack.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return held(context).stack();
  }

  private static Held held(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(ExtensionContext.Namespace.create(SharedStack.class))
        .computeIfAbsent(Held.class, type -> new Held(start()), Held.class);
  }

  private static LocalStack start() {
    // What an earlier run left when it was killed: its processes, then its data.
    Leftovers.end(new StackFolder(FOLDER), System.out::println);
    delete(FOLDER);
    LocalStack stack =
        builder(FOLDER).with(Service.WORKER, "JOBS_WORKER_SLOTS", SLOTS + "").start();
    Runtime.getRuntime().addShutdownHook(new Thread(stack::close));
    return stack;
  }

  /** A stack whose data need not survive the machine. */
  static StackBuilder builder(Path folder) {
    return LocalStack.builder(folder)
        .quickStart()
        .postgresBinaries(BINARIES)
        .postgres("fsync", "off")
        .postgres("timezone", "Pacific/Chatham");
  }

  static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(SharedStack::deleteFile);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void deleteFile(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    if (context.getExecutionException().isPresent()) {
      System.out.println(context.getDisplayName() + " failed.");
      System.out.println(held(context).stack().logTails(TAIL));
    }
  }
}
