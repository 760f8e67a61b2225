package io.jobscheduler.api.schedules;

import com.fasterxml.jackson.core.io.JsonStringEncoder;

/** Strings as JSON. */
final class Quoted {
  private Quoted() {}

  static String of(String text) {
    return '"' + String.valueOf(JsonStringEncoder.getInstance().quoteAsString(text)) + '"';
  }
}
