@NullMarked
package io.jobscheduler.localstack.judge;

import org.jspecify.annotations.NullMarked;
