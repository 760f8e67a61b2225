package io.jobscheduler.schedule.cron;

import org.jspecify.annotations.Nullable;

/**
 * Where an item stands, for the exception that refuses it.
 *
 * @param field the field it belongs to
 * @param position where it starts in the text as typed
 * @param item the item as typed
 */
record Refusal(CronField field, int position, String item) {

  CronSyntaxException of(CronErrorCode code, String message, @Nullable String hint) {
    return new CronSyntaxException(code, field, position, item, message, hint);
  }
}
