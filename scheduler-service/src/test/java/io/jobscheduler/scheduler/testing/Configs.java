package io.jobscheduler.scheduler.testing;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.HashMap;
import java.util.Map;

/** Makes a feature's configuration from its defaults and a few keys. */
public final class Configs {
  private Configs() {}

  /** The mapping with its defaults, and {@code keysAndValues} in turn set. */
  public static <T> T of(Class<T> mapping, String... keysAndValues) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      values.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return new SmallRyeConfigBuilder()
        .withSources(new PropertiesConfigSource(values, "test", 100))
        .withMapping(mapping)
        .build()
        .getConfigMapping(mapping);
  }
}
