/** Projects and their members. */
@NullMarked
package io.jobscheduler.api.projects;

import org.jspecify.annotations.NullMarked;
