package io.jobscheduler.api.access;

/**
 * That the caller may act in a project.
 *
 * @param projectId the project, as every statement about its rows names it
 * @param project its name
 * @param role the caller's role there; a platform admin counts as admin
 * @param payloadVisible whether the caller sees payloads and results
 */
public record Grant(int projectId, String project, Role role, boolean payloadVisible) {}
