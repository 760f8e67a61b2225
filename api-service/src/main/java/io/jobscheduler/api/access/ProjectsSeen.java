package io.jobscheduler.api.access;

import java.util.List;
import java.util.stream.Stream;

/**
 * Which projects a person sees: all, or those of its memberships and those that a token of another
 * issuer names.
 *
 * @param user whose memberships count
 * @param all every project, whatever else
 * @param named by claims, members or not; there need not be such projects
 */
public record ProjectsSeen(long user, boolean all, List<String> named) {
  static ProjectsSeen of(UserRow user, List<MappedRole> mapped) {
    return new ProjectsSeen(
        user.id(),
        user.platformAdmin() || mapped.stream().anyMatch(m -> m.project() == null),
        mapped.stream().flatMap(m -> Stream.ofNullable(m.project())).distinct().toList());
  }
}
