package io.jobscheduler.worker.handlers;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The top-level numbers and strings of a payload that is an object; the rest is skipped. */
final class PayloadFields {
  private static final JsonFactory JSON = new JsonFactory();

  private final Map<String, Object> values = new HashMap<>();

  private PayloadFields() {}

  static PayloadFields of(@Nullable String payload) throws InvalidPayloadException {
    PayloadFields fields = new PayloadFields();
    if (payload == null) {
      return fields;
    }
    try (JsonParser parser = JSON.createParser(payload)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new InvalidPayloadException("the payload must be an object");
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        JsonToken value = parser.nextToken();
        if (value.isNumeric()) {
          fields.values.put(name, parser.getDecimalValue());
        } else if (value == JsonToken.VALUE_STRING) {
          fields.values.put(name, parser.getText());
        } else {
          parser.skipChildren();
        }
      }
      return fields;
    } catch (IOException e) {
      throw new InvalidPayloadException("the payload is not valid JSON");
    }
  }

  /** A number from 0 to {@code most}. */
  BigDecimal number(String name, long most) throws InvalidPayloadException {
    if (values.get(name) instanceof BigDecimal number
        && number.signum() >= 0
        && number.compareTo(BigDecimal.valueOf(most)) <= 0) {
      return number;
    }
    throw new InvalidPayloadException(
        "the payload needs a number from 0 to " + most + " in '" + name + "'");
  }

  String text(String name) throws InvalidPayloadException {
    if (values.get(name) instanceof String text) {
      return text;
    }
    throw new InvalidPayloadException("the payload needs a string in '" + name + "'");
  }
}
