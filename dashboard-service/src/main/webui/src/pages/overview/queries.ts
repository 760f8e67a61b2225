// How often each part of the Overview may ask. Together they stay within one request per two
// seconds under a storm of signals, the budget of a page.
export const STATS_MILLIS = 8_000;
export const JOBS_MILLIS = 8_000;
export const WORKFLOWS_MILLIS = 8_000;
export const QUEUES_MILLIS = 12_000;
export const WORKERS_MILLIS = 24_000;

/** Path of the project's part of the API. */
export function projectPath(project: string, rest: string): string {
  return `/projects/${encodeURIComponent(project)}/${rest}`;
}
