@NullMarked
package io.jobscheduler.worker.effects;

import org.jspecify.annotations.NullMarked;
