/**
 * The web UI as files: the page for every address of the app, how long each may be cached, and what
 * a browser may do with it.
 *
 * <p>Called by browsers. Must not know what a page shows, nor anything of a session.
 */
@NullMarked
package io.jobscheduler.dashboard.site;

import org.jspecify.annotations.NullMarked;
