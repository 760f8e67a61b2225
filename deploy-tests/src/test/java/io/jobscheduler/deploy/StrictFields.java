package io.jobscheduler.deploy;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Quantity;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Fields that Kubernetes does not know, kinds without a model, quantities that are none. */
final class StrictFields {
  private final List<String> findings = new ArrayList<>();
  private final Map<Object, Boolean> seen = new IdentityHashMap<>();

  private StrictFields() {}

  static List<String> findings(Overlay overlay) {
    StrictFields strict = new StrictFields();
    for (HasMetadata object : overlay.objects()) {
      String name = object.getKind() + "/" + object.getMetadata().getName();
      if (object instanceof GenericKubernetesResource) {
        strict.findings.add(name + ": no model for " + object.getApiVersion());
      }
      strict.walk(object, name);
    }
    return strict.findings;
  }

  private void walk(Object value, String path) {
    if (value == null || seen.put(value, true) != null) {
      return;
    }
    if (value instanceof Quantity quantity) {
      try {
        Quantity.getAmountInBytes(quantity);
      } catch (RuntimeException e) {
        findings.add(path + ": not a quantity: " + quantity);
      }
    } else if (value instanceof Collection<?> many) {
      int i = 0;
      for (Object one : many) {
        walk(one, path + "[" + i++ + "]");
      }
    } else if (value instanceof Map<?, ?> map) {
      map.forEach((key, one) -> walk(one, path + "." + key));
    } else if (value.getClass().getName().startsWith("io.fabric8.")) {
      walkFields(value, path);
    }
  }

  private void walkFields(Object value, String path) {
    for (Class<?> type = value.getClass(); type != Object.class; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          Object inside = read(field, value);
          if (!field.getName().equals("additionalProperties")) {
            walk(inside, path + "." + field.getName());
          } else if (inside instanceof Map<?, ?> unknown && !unknown.isEmpty()) {
            findings.add(path + ": unknown " + unknown.keySet());
          }
        }
      }
    }
  }

  private static Object read(Field field, Object owner) {
    try {
      field.setAccessible(true);
      return field.get(owner);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
