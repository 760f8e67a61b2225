// What the API answers, as far as the pages read it. Ids are strings, instants ISO 8601 in UTC.

export type JobState =
  | 'scheduled'
  | 'blocked'
  | 'ready'
  | 'running'
  | 'retrying'
  | 'succeeded'
  | 'dead'
  | 'cancelled'
  | 'skipped';

export type WorkflowState = 'running' | 'succeeded' | 'failed' | 'cancelled';

export type WorkerState = 'active' | 'draining' | 'lost' | 'stopped';

/** A count that stops counting at its cap: then the true number is at least `value`. */
export interface Count {
  value: number;
  capped: boolean;
}

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
  count?: Count | null;
}

export interface ProjectAccess {
  project: string;
  role: 'viewer' | 'operator' | 'admin';
  actions: string[];
}

export interface Me {
  id: string;
  kind?: 'user' | 'key';
  email: string;
  name: string | null;
  platformAdmin: boolean;
  projects: ProjectAccess[];
}

export interface Login {
  accessToken: string;
  /** Gives the next two tokens, once. */
  refreshToken?: string;
  tokenType: string;
  /** Seconds. */
  expiresIn: number;
}

export interface Queue {
  name: string;
  weight: number;
  maxConcurrency: number | null;
  counts: Partial<Record<JobState, Count>>;
  oldestReadyAt: string | null;
}

export interface Job {
  id: string;
  type: string;
  queue: string;
  state: JobState;
  stateReason: string | null;
  attempt: number;
  maxAttempts: number;
  createdAt: string;
  runAt: string | null;
  readyAt: string | null;
  startedAt: string | null;
  finishedAt: string | null;
  workflow: string | null;
  workflowKey: string | null;
  worker: string | null;
  errorSummary: string | null;
}

export interface Workflow {
  id: string;
  name: string;
  state: WorkflowState;
  createdAt: string;
  finishedAt: string | null;
  counts: Partial<Record<JobState, number>>;
  jobs: number;
}

export interface Worker {
  id: string;
  host: string;
  version: string;
  slots: number;
  running: number;
  draining: boolean;
  state: WorkerState;
  startedAt: string;
  lastBeatAt: string;
  queues: string[];
}

export interface Stats {
  counts: Partial<Record<JobState, Count>>;
  asOf: string;
}
