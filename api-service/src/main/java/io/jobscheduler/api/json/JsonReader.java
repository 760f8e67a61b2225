package io.jobscheduler.api.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.problem.Violations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads one JSON body, field by field, in one pass.
 *
 * <p>What is not JSON, or could not be given back unchanged (see {@link JsonLimits}), ends the
 * request at once; a value of the wrong kind is noted in {@link #violations()} and read as absent,
 * so that one answer names all of them. A JSON {@code null} counts as absent where it is a member's
 * value; as an element of an array it is of the wrong kind.
 *
 * <p>Cost: linear in the body; memory for one string and for the names of the open objects. Not
 * thread-safe.
 */
public final class JsonReader {
  private static final int MOST_LEVELS = JsonLimits.DEPTH + JsonLimits.ENVELOPE_DEPTH;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          // Names are the caller's: they must not fill a table of the JVM.
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNestingDepth(MOST_LEVELS + 2)
                  .build())
          .build();

  private final byte[] body;
  private final Violations violations;
  private final JsonParser parser;
  private final JsonPath path = new JsonPath(MOST_LEVELS + 1);
  // The level below which a payload is being read, or -1.
  private int payloadLevel = -1;

  /**
   * A reader of {@code body}, which must not change while it is read.
   *
   * @throws ProblemException when it is empty or not UTF-8
   */
  public JsonReader(byte[] body, Violations violations) {
    Utf8.require(body);
    this.body = body;
    this.violations = violations;
    try {
      this.parser = FACTORY.createParser(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What is wrong so far. */
  public Violations violations() {
    return violations;
  }

  /** The JSON pointer of what was read last. */
  public String pointer() {
    return path.pointer();
  }

  /** Notes that the value read last is not acceptable. */
  public void reject(String detail) {
    violations.add(pointer(), detail);
  }

  /** Enters an object; false, with the value passed over and noted, when it is something else. */
  public boolean startObject() {
    return enter(JsonToken.START_OBJECT, "Expected an object.");
  }

  /** Enters an array; false, with the value passed over and noted, when it is something else. */
  public boolean startArray() {
    return enter(JsonToken.START_ARRAY, "Expected an array.");
  }

  private boolean enter(JsonToken wanted, String detail) {
    JsonToken token = advance();
    if (token == wanted) {
      return true;
    }
    if (!isAbsent(token)) {
      reject(detail);
    }
    pass(token);
    return false;
  }

  /** The name of the next member of the object entered; null at its end. */
  public @Nullable String nextField() {
    return advance() == JsonToken.END_OBJECT ? null : path.name();
  }

  /** Passes over the value of a member that nobody knows, and notes it. */
  public void unknownField() {
    violations.addUnknown(pointer(), "The field \"" + path.name() + "\" is not known here.");
    pass(advance());
  }

  /**
   * Whether the array entered has another element. What begins it is read by the next call, which
   * must be one that reads a value.
   */
  public boolean nextItem() {
    JsonToken token = advance();
    if (token == JsonToken.END_ARRAY) {
      return false;
    }
    pushedBack = token;
    return true;
  }

  private @Nullable JsonToken pushedBack;

  /** Whether the next element or value is a string; may be asked any number of times. */
  public boolean isString() {
    if (pushedBack == null) {
      pushedBack = advance();
    }
    return pushedBack == JsonToken.VALUE_STRING;
  }

  /** Whether the next element or value is a string that begins so; may be asked likewise. */
  public boolean beginsWith(String start) {
    return isString() && text().startsWith(start);
  }

  /** A string; null when absent or, noted, something else. */
  public @Nullable String string() {
    JsonToken token = advance();
    if (token == JsonToken.VALUE_STRING) {
      return text();
    }
    return wrongKind(token, "Expected a string.");
  }

  /** A whole number within bounds; null when absent or, noted, something else. */
  public @Nullable Integer integer(int least, int most) {
    JsonToken token = advance();
    String detail = "Expected a whole number from " + least + " to " + most + ".";
    if (token == JsonToken.VALUE_NUMBER_INT) {
      String digits = text();
      // At most ten digits: no long text is turned into a number.
      if (digits.length() <= 11) {
        long value = Long.parseLong(digits);
        if (value >= least && value <= most) {
          return (int) value;
        }
      }
      reject(detail);
      return null;
    }
    return wrongKind(token, detail);
  }

  /** A number within bounds; null when absent or, noted, something else. */
  public @Nullable Double number(double least, double most) {
    JsonToken token = advance();
    String detail = "Expected a number from " + least + " to " + most + ".";
    if (token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.VALUE_NUMBER_FLOAT) {
      double value = Double.parseDouble(text());
      if (value >= least && value <= most) {
        return value;
      }
      reject(detail);
      return null;
    }
    return wrongKind(token, detail);
  }

  /** A truth value; null when absent or, noted, something else. */
  public @Nullable Boolean bool() {
    JsonToken token = advance();
    if (token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE) {
      return token == JsonToken.VALUE_TRUE;
    }
    return wrongKind(token, "Expected true or false.");
  }

  /**
   * Any value, as it was typed.
   *
   * @param mostBytes its largest size
   * @throws ProblemException 413 when it is larger, 400 when it breaks a limit of {@link
   *     JsonLimits}
   */
  public String verbatim(int mostBytes) {
    return verbatim(mostBytes, path.level());
  }

  /** Any value, as it was typed, whose own values are still to be read. */
  public String unread() {
    return verbatim(Integer.MAX_VALUE, -1);
  }

  private String verbatim(int mostBytes, int payloadBelow) {
    int base = path.level();
    JsonToken token = advance();
    String pointer = pointer();
    int start = (int) parser.currentTokenLocation().getByteOffset();
    payloadLevel = payloadBelow;
    pass(token);
    payloadLevel = -1;
    int end = (int) parser.currentLocation().getByteOffset();
    // The parser takes the blank after a number at the root with it.
    while (body[end - 1] <= ' ') {
      end--;
    }
    int length = end - start;
    if (length > mostBytes) {
      throw ProblemException.at(
          ProblemType.PAYLOAD_TOO_LARGE,
          base == 0 ? "" : pointer,
          "This value has " + length + " bytes; at most " + mostBytes + " are accepted.");
    }
    return new String(body, start, length, StandardCharsets.UTF_8);
  }

  /**
   * The end of the body.
   *
   * @throws ProblemException when something follows
   */
  public void end() {
    try {
      if (parser.nextToken() != null) {
        throw malformed("Something follows the end of the JSON value.");
      }
    } catch (IOException e) {
      throw malformed("Something follows the end of the JSON value.");
    }
  }

  private <T> @Nullable T wrongKind(JsonToken token, String detail) {
    if (!isAbsent(token)) {
      reject(detail);
      pass(token);
    }
    return null;
  }

  // An element that is null must not vanish: those behind it would move up.
  private boolean isAbsent(JsonToken token) {
    return token == JsonToken.VALUE_NULL && path.inObject();
  }

  /** Passes over the value that begins with {@code token}, checking all of it. */
  private void pass(JsonToken token) {
    if (!token.isStructStart()) {
      return;
    }
    int outside = path.level() - 1;
    while (path.level() > outside) {
      advance();
    }
  }

  private JsonToken advance() {
    if (pushedBack != null) {
      JsonToken token = pushedBack;
      pushedBack = null;
      return token;
    }
    JsonToken token;
    try {
      token = parser.nextToken();
      if (token == null) {
        throw malformed("The body ends too early.");
      }
      check(token);
    } catch (JsonProcessingException e) {
      // The parser looks at a value's first character together with its name.
      String name = parser.getParsingContext().getCurrentName();
      if (name != null && path.inObject()) {
        path.rename(name);
      }
      throw malformed(
          "This is not JSON, seen at line "
              + e.getLocation().getLineNr()
              + ", column "
              + e.getLocation().getColumnNr()
              + ".");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return token;
  }

  private void check(JsonToken token) throws IOException {
    switch (token) {
      case START_OBJECT, START_ARRAY -> {
        path.value();
        path.open(token == JsonToken.START_ARRAY);
        int most = payloadLevel < 0 ? MOST_LEVELS : payloadLevel + JsonLimits.DEPTH;
        if (path.level() > most) {
          throw malformed("Values may be nested at most " + JsonLimits.DEPTH + " deep.");
        }
      }
      case END_OBJECT, END_ARRAY -> path.close();
      case FIELD_NAME -> {
        String name = parser.currentName();
        boolean fresh = path.name(name);
        refuse(JsonLimits.flawOfString(name.toCharArray(), 0, name.length()));
        if (!fresh) {
          throw malformed("The name appears twice in one object.");
        }
      }
      case VALUE_STRING -> {
        path.value();
        refuse(
            JsonLimits.flawOfString(
                parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength()));
      }
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
        path.value();
        refuse(
            JsonLimits.flawOfNumber(
                parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength()));
      }
      default -> path.value();
    }
  }

  private void refuse(String flaw) {
    if (!flaw.isEmpty()) {
      throw malformed(flaw);
    }
  }

  private String text() {
    try {
      return parser.getText();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ProblemException malformed(String detail) {
    return ProblemException.at(ProblemType.MALFORMED_JSON, pointer(), detail);
  }
}
