package io.jobscheduler.api.description;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.media.Content;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.FieldInfo;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.RecordComponentInfo;
import org.jspecify.annotations.Nullable;

/**
 * Which members of an object are always there and which may be null, from the records that are
 * written as JSON: the same {@code @Nullable} that the compiler checks. Every object is closed.
 * What a request may leave out it may also give as null, as its readers take the two for the same.
 */
final class Shapes {
  private static final String OURS = "io.jobscheduler.api.";
  private static final String REFERENCE = "#/components/schemas/";
  private static final DotName NULLABLE = DotName.createSimple("org.jspecify.annotations.Nullable");
  private static final DotName SCHEMA =
      DotName.createSimple("org.eclipse.microprofile.openapi.annotations.media.Schema");
  private static final DotName UNWRAPPED =
      DotName.createSimple("com.fasterxml.jackson.annotation.JsonUnwrapped");
  private static final DotName IGNORED =
      DotName.createSimple("com.fasterxml.jackson.annotation.JsonIgnore");
  private static final DotName INCLUDE =
      DotName.createSimple("com.fasterxml.jackson.annotation.JsonInclude");

  private enum Presence {
    ALWAYS,
    ALWAYS_OR_NULL,
    OPTIONAL
  }

  private final OpenAPI api;
  private final Map<String, Schema> schemas;
  private final Map<String, List<ClassInfo>> records = new HashMap<>();
  private final IndexView classes;

  Shapes(OpenAPI api, IndexView classes) {
    this.api = api;
    this.schemas = api.getComponents().getSchemas();
    this.classes = classes;
    for (ClassInfo type : classes.getKnownClasses()) {
      if (type.isRecord() && type.name().toString().startsWith(OURS)) {
        records.computeIfAbsent(schemaName(type), n -> new ArrayList<>()).add(type);
      }
    }
  }

  private static String schemaName(ClassInfo type) {
    AnnotationInstance schema = type.declaredAnnotation(SCHEMA);
    if (schema != null && schema.value("name") != null) {
      return schema.value("name").asString();
    }
    return type.simpleName();
  }

  void complete() {
    Set<String> asked = new HashSet<>();
    Set<String> answered = new HashSet<>();
    api.getPaths()
        .getPathItems()
        .values()
        .forEach(path -> path.getOperations().values().forEach(o -> collect(o, asked, answered)));
    schemas.forEach(
        (name, schema) -> {
          // An interface in Java, and so taken for an object; it is a string or an object.
          if (schema.getOneOf() != null) {
            schema.setType(null);
          }
          if (schema.getProperties() == null || schema.getProperties().isEmpty()) {
            return;
          }
          schema.setAdditionalPropertiesBoolean(false);
          if (!asked.contains(name)) {
            answer(name, schema);
          } else {
            if (!answered.contains(name)) {
              require(name, schema);
            }
            loosen(schema);
          }
        });
  }

  /** What a request must say: what its record always has, and for which there is no default. */
  private void require(String name, Schema schema) {
    Map<String, Presence> presences = presences(name, schema.getProperties().keySet());
    if (presences == null) {
      return;
    }
    schema
        .getProperties()
        .forEach(
            (member, its) -> {
              boolean named = schema.getRequired() != null && schema.getRequired().contains(member);
              if (presences.get(member) == Presence.ALWAYS
                  && its.getDefaultValue() == null
                  && !named) {
                schema.addRequired(member);
              }
            });
  }

  private static void loosen(Schema schema) {
    List<String> required = schema.getRequired();
    Map<String, Schema> members = new LinkedHashMap<>();
    schema
        .getProperties()
        .forEach(
            (member, its) ->
                members.put(
                    member, required != null && required.contains(member) ? its : orNull(its)));
    schema.setProperties(members);
  }

  private void answer(String name, Schema schema) {
    Map<String, Presence> presences = presences(name, schema.getProperties().keySet());
    if (presences == null) {
      return;
    }
    List<String> required = new ArrayList<>();
    Map<String, Schema> members = new LinkedHashMap<>();
    schema
        .getProperties()
        .forEach(
            (member, its) -> {
              Presence presence = presences.get(member);
              if (presence != Presence.OPTIONAL) {
                required.add(member);
              }
              members.put(member, presence == Presence.ALWAYS_OR_NULL ? orNull(its) : its);
            });
    schema.setRequired(required);
    schema.setProperties(members);
  }

  /** Of the record behind a schema; null when there is none. */
  private @Nullable Map<String, Presence> presences(String schema, Set<String> members) {
    // Of one list, "PageJob"; of a second record with that name, "Dependency1".
    List<String> names = List.of(schema, schema.replaceAll("[0-9]+$", ""), "Page");
    for (String name : names) {
      for (ClassInfo type : records.getOrDefault(name, List.of())) {
        Map<String, Presence> found = new HashMap<>();
        read(type, found, false);
        if (found.keySet().equals(members)) {
          return found;
        }
      }
    }
    return null;
  }

  private void read(ClassInfo type, Map<String, Presence> found, boolean outerMayBeAbsent) {
    AnnotationInstance include = type.declaredAnnotation(INCLUDE);
    boolean leftOut = outerMayBeAbsent || include != null;
    for (RecordComponentInfo component : type.recordComponents()) {
      FieldInfo field = type.field(component.name());
      if (field.hasDeclaredAnnotation(IGNORED)) {
        continue;
      }
      boolean nullable = field.type().hasAnnotation(NULLABLE);
      if (field.hasDeclaredAnnotation(UNWRAPPED)) {
        ClassInfo part = classes.getClassByName(field.type().name());
        if (part != null) {
          read(part, found, outerMayBeAbsent || nullable);
        }
      } else {
        found.put(
            component.name(),
            outerMayBeAbsent || nullable && leftOut
                ? Presence.OPTIONAL
                : nullable ? Presence.ALWAYS_OR_NULL : Presence.ALWAYS);
      }
    }
  }

  /** The same, or null. */
  private static Schema orNull(Schema schema) {
    if (schema.getRef() == null && schema.getEnumeration() == null && schema.getOneOf() == null) {
      if (schema.getType() != null && !schema.getType().contains(Schema.SchemaType.NULL)) {
        schema.addType(Schema.SchemaType.NULL);
      }
      return schema;
    }
    if (schema.getRef() != null && schema.getRef().endsWith("/AnyJson")) {
      return schema;
    }
    Schema outer =
        OASFactory.createSchema()
            .description(schema.getDescription())
            .defaultValue(schema.getDefaultValue());
    Schema inner = schema;
    if (schema.getRef() != null) {
      inner = OASFactory.createSchema().ref(schema.getRef());
    } else {
      schema.setDescription(null);
      schema.setDefaultValue(null);
    }
    return outer
        .addAnyOf(inner)
        .addAnyOf(OASFactory.createSchema().addType(Schema.SchemaType.NULL));
  }

  private void collect(Operation operation, Set<String> asked, Set<String> answered) {
    if (operation.getRequestBody() != null) {
      collect(operation.getRequestBody().getContent(), asked);
    }
    operation
        .getResponses()
        .getAPIResponses()
        .values()
        .forEach(response -> collect(response.getContent(), answered));
  }

  private void collect(@Nullable Content content, Set<String> names) {
    if (content != null) {
      content.getMediaTypes().values().forEach(media -> collect(media.getSchema(), names));
    }
  }

  private void collect(@Nullable Schema schema, Set<String> names) {
    if (schema == null) {
      return;
    }
    if (schema.getRef() != null) {
      String name = schema.getRef().substring(REFERENCE.length());
      if (names.add(name)) {
        collect(schemas.get(name), names);
      }
    }
    collect(schema.getItems(), names);
    collect(schema.getAdditionalPropertiesSchema(), names);
    collectAll(schema.getOneOf(), names);
    collectAll(schema.getAnyOf(), names);
    collectAll(schema.getAllOf(), names);
    if (schema.getProperties() != null) {
      schema.getProperties().values().forEach(its -> collect(its, names));
    }
  }

  private void collectAll(@Nullable List<Schema> some, Set<String> names) {
    if (some != null) {
      some.forEach(its -> collect(its, names));
    }
  }
}
