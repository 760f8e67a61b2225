package io.jobscheduler.api.jobs;

import org.jdbi.v3.core.Jdbi;

/** Lists over a mapper. */
final class TestJobLists {
  private TestJobLists() {}

  static JobLists over(Jdbi jdbi) {
    JobListStore lists = new JobListStore();
    MemberListStore members = new MemberListStore();
    return new JobLists(
        jdbi,
        lists,
        members,
        new JobSearches(lists, members, new JobSearchStore(), new JobTermStore()),
        new JobStore(jdbi),
        new EnqueueStore(jdbi));
  }
}
