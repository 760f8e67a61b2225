@NullMarked
package io.jobscheduler.localstack.report;

import org.jspecify.annotations.NullMarked;
