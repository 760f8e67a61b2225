/** Keyset lists: cursor, limit, page and capped count, the same for every list. */
@NullMarked
package io.jobscheduler.api.paging;

import org.jspecify.annotations.NullMarked;
