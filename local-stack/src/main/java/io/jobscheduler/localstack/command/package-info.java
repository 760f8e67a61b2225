/**
 * The commands behind {@code make up} and {@code make down}: what a person sees on the terminal.
 *
 * <p>A person's mistakes and the machine's are answered with one plain sentence and an exit code
 * other than 0, never with a stack trace.
 */
@NullMarked
package io.jobscheduler.localstack.command;

import org.jspecify.annotations.NullMarked;
