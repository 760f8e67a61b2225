package io.jobscheduler.api.http;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import io.quarkus.jackson.ObjectMapperCustomizer;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;

/** Instants as ISO 8601 in UTC with milliseconds, durations as ISO 8601. */
@Singleton
class JsonFormat implements ObjectMapperCustomizer {
  private static final DateTimeFormatter MILLIS =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter();

  @Override
  public int priority() {
    // After Quarkus' own, so that these writers win.
    return MINIMUM_PRIORITY;
  }

  @Override
  public void customize(ObjectMapper mapper) {
    mapper.disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS);
    mapper.disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS);
    SimpleModule module = new SimpleModule("jobs-format");
    module.addSerializer(
        Instant.class,
        new StdSerializer<Instant>(Instant.class) {
          private static final long serialVersionUID = 1L;

          @Override
          public void serialize(Instant value, JsonGenerator out, SerializerProvider provider)
              throws IOException {
            out.writeString(MILLIS.format(value));
          }
        });
    module.addSerializer(
        Duration.class,
        new StdSerializer<Duration>(Duration.class) {
          private static final long serialVersionUID = 1L;

          @Override
          public void serialize(Duration value, JsonGenerator out, SerializerProvider provider)
              throws IOException {
            out.writeString(value.toString());
          }
        });
    mapper.registerModule(module);
  }
}
