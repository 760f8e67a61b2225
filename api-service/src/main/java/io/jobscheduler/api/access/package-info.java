/**
 * Who calls and what they may do: login, tokens, signing keys, users, and the one map from role to
 * actions. Every resource asks Authorizer before it touches a project.
 */
@NullMarked
package io.jobscheduler.api.access;

import org.jspecify.annotations.NullMarked;
