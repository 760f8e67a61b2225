import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts {@code node build.mjs} for Maven. Exists only because a missing Node cannot be reported by
 * a Node script; run by the JDK's source launcher, so it needs nothing but the JDK.
 */
class BuildWebUi {
  private static final String MISSING =
      "Node >= 20.19 is needed to build the web UI, and no `node` is on the PATH."
          + " Install it, or build without the UI: -Dwebui.skip=true";

  public static void main(String[] args) throws InterruptedException {
    List<String> command = new ArrayList<>(List.of("node", "build.mjs"));
    command.addAll(List.of(args));
    try {
      System.exit(new ProcessBuilder(command).inheritIO().start().waitFor());
    } catch (IOException e) {
      System.err.println(MISSING);
      System.exit(1);
    }
  }
}
