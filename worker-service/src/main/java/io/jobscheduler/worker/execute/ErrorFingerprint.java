package io.jobscheduler.worker.execute;

import io.jobscheduler.schema.failure.NormalMessage;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What failures of one cause have in common: a hash of the error's kind, its {@link NormalMessage}
 * and the innermost frames by class and method. 16 hexadecimal digits. Stateless; reads a few
 * frames.
 */
public final class ErrorFingerprint {
  private static final int FRAMES = 3;
  private static final int BYTES = 8;

  // Generated names, which differ from run to run: proxies, lambdas.
  private static final Pattern GENERATED = Pattern.compile("(?:\\$\\$|/0x|\\$Proxy)[^.]*|[0-9]+");

  private ErrorFingerprint() {}

  /** Of an outcome that the handler gave in words. */
  public static String of(String kind, @Nullable String message) {
    return hash(kind + '\n' + NormalMessage.of(message));
  }

  /** Of an exception, by its own frames and those of its innermost cause. */
  public static String of(String kind, @Nullable String message, Throwable error) {
    StringBuilder text = new StringBuilder(kind).append('\n').append(NormalMessage.of(message));
    appendFrames(text, error);
    Throwable root = error;
    // Bounded: causes may form a circle.
    for (int i = 0; i < 20 && root.getCause() != null; i++) {
      root = root.getCause();
    }
    if (root != error) {
      text.append('\n').append(root.getClass().getName());
      appendFrames(text, root);
    }
    return hash(text.toString());
  }

  private static void appendFrames(StringBuilder text, Throwable error) {
    int taken = 0;
    for (StackTraceElement frame : error.getStackTrace()) {
      if (taken == FRAMES || isOurs(frame)) {
        break;
      }
      if (!isPlumbing(frame)) {
        String type = GENERATED.matcher(frame.getClassName()).replaceAll("");
        String method = GENERATED.matcher(frame.getMethodName()).replaceAll("");
        text.append('\n').append(type).append('.').append(method);
        taken++;
      }
    }
  }

  /** From the caller of the handler on, every stack is the same. */
  private static boolean isOurs(StackTraceElement frame) {
    return frame.getClassName().startsWith(AttemptRunner.class.getName());
  }

  private static boolean isPlumbing(StackTraceElement frame) {
    String type = frame.getClassName();
    return type.startsWith("java.lang.reflect.")
        || type.startsWith("jdk.internal.")
        || type.startsWith("sun.reflect.");
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
