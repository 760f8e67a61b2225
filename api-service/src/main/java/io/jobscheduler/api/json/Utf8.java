package io.jobscheduler.api.json;

import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Refuses bodies that are not UTF-8, which a JSON parser alone would partly let through. */
final class Utf8 {
  private static final int CHUNK = 8192;

  private Utf8() {}

  /**
   * Checks the encoding: RFC 3629, so no overlong form and no surrogate; no byte order mark and no
   * NUL (which also excludes UTF-16 and UTF-32).
   *
   * @throws ProblemException when it is something else, or empty
   */
  static void require(byte[] body) {
    if (body.length == 0) {
      throw malformed("The body is empty.");
    }
    if (body.length >= 3
        && body[0] == (byte) 0xEF
        && body[1] == (byte) 0xBB
        && body[2] == (byte) 0xBF) {
      throw malformed("The body begins with a byte order mark.");
    }
    int plain = 0;
    while (plain < body.length && body[plain] > 0) {
      plain++;
    }
    if (plain == body.length) {
      return;
    }
    for (byte b : body) {
      if (b == 0) {
        throw malformed("The body contains a NUL byte.");
      }
    }
    CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    ByteBuffer in = ByteBuffer.wrap(body, plain, body.length - plain);
    CharBuffer out = CharBuffer.allocate(CHUNK);
    CoderResult result;
    do {
      out.clear();
      result = decoder.decode(in, out, true);
    } while (result.isOverflow());
    if (result.isError()) {
      throw malformed("The body is not UTF-8, seen at byte " + in.position() + ".");
    }
  }

  private static ProblemException malformed(String detail) {
    return ProblemException.at(ProblemType.MALFORMED_JSON, "", detail);
  }
}
