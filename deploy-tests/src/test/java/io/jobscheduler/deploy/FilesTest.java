package io.jobscheduler.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies are equal, renderings are current, and the scripts make what the manifests name. */
class FilesTest {

  @Test
  void devOverlayHasTheOriginalScripts() {
    String copies = "k8s/overlays/dev/postgres/";
    assertEquals(
        Repository.read("docker/postgres/make-roles.sh"),
        Repository.read(copies + "make-roles.sh"));
    assertEquals(
        Repository.read("shared-schema/src/main/resources/db/roles.sql"),
        Repository.read(copies + "roles.sql"));
  }

  /** Needs kubectl; what is compared are the objects, since versions differ in how they write. */
  @ParameterizedTest
  @ValueSource(strings = {"dev", "prod"})
  void renderingIsCurrent(String name) throws Exception {
    assumeTrue(onPath("kubectl"), "kubectl is not installed");
    String folder = Repository.path("k8s/overlays/" + name).toString();
    Overlay now = Overlay.parse(run("kubectl", "kustomize", folder));
    // Not assertEquals: its message would be both renderings in full.
    assertTrue(
        byName(now).equals(byName(Overlay.rendered(name))),
        "stale, run: kubectl kustomize k8s/overlays/%s > k8s/rendered/%s.yaml"
            .formatted(name, name));
  }

  private static Map<String, HasMetadata> byName(Overlay overlay) {
    Map<String, HasMetadata> objects = new TreeMap<>();
    overlay.objects().forEach(o -> objects.put(o.getKind() + "/" + o.getMetadata().getName(), o));
    return objects;
  }

  @Test
  void scriptMakesEverySecretThatIsMounted() throws Exception {
    Overlay made = Overlay.parse(run("bash", Repository.path("k8s/make-secrets.sh").toString()));
    Map<String, Set<String>> keys = new TreeMap<>();
    for (Secret secret : made.all(Secret.class)) {
      keys.put(secret.getMetadata().getName(), secret.getStringData().keySet());
      secret.getStringData().values().forEach(v -> assertTrue(v.length() >= 43, "a short secret"));
    }
    String master =
        made.named(Secret.class, "jobs-access").orElseThrow().getStringData().get("master.key");
    assertEquals(32, Base64.getDecoder().decode(master).length);
    Set<String> used = new TreeSet<>();
    Stream.of("dev", "prod")
        .flatMap(name -> Overlay.rendered(name).workloads().stream())
        .flatMap(w -> w.pod().getVolumes().stream())
        .filter(v -> v.getSecret() != null)
        .forEach(v -> used.add(v.getSecret().getSecretName()));
    assertEquals(keys.keySet(), used);
  }

  @Test
  void everyFileThatASettingNamesIsMounted() {
    for (Workload workload : Overlay.rendered("prod").workloads()) {
      Set<String> folders =
          workload.container().getVolumeMounts().stream()
              .map(m -> m.getMountPath())
              .collect(Collectors.toSet());
      workload
          .environment(Overlay.rendered("prod"))
          .forEach(
              (key, value) -> {
                if (key.endsWith("_FILE")) {
                  assertTrue(
                      folders.contains(Path.of(value).getParent().toString()),
                      workload.name() + " has no volume for " + key);
                }
              });
    }
  }

  @Test
  void firstAdminsPodReadsTheClaimThatMigrateMounts() {
    Overlay pod = Overlay.parse(Repository.read("k8s/first-admin.yaml"));
    assertEquals(List.of(), StrictFields.findings(pod));
    var spec = pod.all(Pod.class).get(0).getSpec();
    assertTrue(PodRules.isPinned(spec.getContainers().get(0).getImage()));
    String claim = spec.getVolumes().get(0).getPersistentVolumeClaim().getClaimName();
    assertTrue(Overlay.rendered("prod").named(PersistentVolumeClaim.class, claim).isPresent());
    String file = spec.getContainers().get(0).getCommand().get(1);
    for (Workload workload : Overlay.rendered("prod").workloads()) {
      if (workload.runsOnce()) {
        assertEquals(
            file,
            workload.environment(Overlay.rendered("prod")).get("JOBS_MIGRATE_ADMIN_PASSWORD_FILE"));
      }
    }
  }

  private static boolean onPath(String program) {
    return Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  private static String run(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(List.of(command)).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), String.join(" ", command));
    return output;
  }
}
