import type { ComponentChildren } from 'preact';
import type { JobState, WorkerState, WorkflowState } from './api-types';

/** The nine roles that have a colour of their own (styles/tokens.css). */
export type StateRole =
  | 'scheduled'
  | 'blocked'
  | 'queued'
  | 'running'
  | 'retrying'
  | 'succeeded'
  | 'failed'
  | 'dead'
  | 'cancelled';

export interface StateLook {
  label: string;
  role: StateRole;
  /** Drawn on 16 × 16: `ink` is filled, `line` is stroked, `cut` is stroked in the surface. */
  icon: ComponentChildren;
}

const clock = (
  <>
    <circle class="line" cx="8" cy="8" r="6" />
    <path class="line" d="M8 4.6V8l2.4 1.6" />
  </>
);
const padlock = (
  <>
    <rect class="ink" x="3" y="7" width="10" height="7" rx="1.4" />
    <path class="line" d="M5.2 7V5.2a2.8 2.8 0 0 1 5.6 0V7" />
  </>
);
const bars = <path class="line thick" d="M2.5 4h11M2.5 8h11M2.5 12h6.5" />;
const ring = (
  <>
    <circle class="line track" cx="8" cy="8" r="5.6" />
    <path class="line arc" d="M8 2.4A5.6 5.6 0 1 1 2.4 8" />
  </>
);
const arrow = (
  <>
    <path class="line" d="M13.4 8a5.4 5.4 0 1 1-1.7-3.9" />
    <path class="line" d="M13.6 1.6v3.3h-3.3" />
  </>
);
const tick = (
  <>
    <circle class="ink" cx="8" cy="8" r="6.6" />
    <path class="cut" d="m5 8.2 2.1 2.1L11 6" />
  </>
);
const diamond = (
  <>
    <path class="ink" d="M8 .8 15.2 8 8 15.2.8 8z" />
    <path class="cut" d="M8 4.6v4M8 11v.3" />
  </>
);
const cross = (
  <>
    <rect class="ink" x="1.6" y="1.6" width="12.8" height="12.8" rx="2.4" />
    <path class="cut" d="m5.3 5.3 5.4 5.4m0-5.4-5.4 5.4" />
  </>
);
const slash = (
  <>
    <circle class="line" cx="8" cy="8" r="6" />
    <path class="line" d="m4 12 8-8" />
  </>
);
const dash = (
  <>
    <circle class="line" cx="8" cy="8" r="6" />
    <path class="line" d="M5 8h6" />
  </>
);

/** The one table of states: nothing else in the code may know how a state looks. */
export const STATES: Record<JobState | WorkflowState, StateLook> = {
  scheduled: { label: 'Scheduled', role: 'scheduled', icon: clock },
  blocked: { label: 'Blocked', role: 'blocked', icon: padlock },
  ready: { label: 'Ready', role: 'queued', icon: bars },
  running: { label: 'Running', role: 'running', icon: ring },
  retrying: { label: 'Retrying', role: 'retrying', icon: arrow },
  succeeded: { label: 'Succeeded', role: 'succeeded', icon: tick },
  failed: { label: 'Failed', role: 'failed', icon: diamond },
  dead: { label: 'Dead', role: 'dead', icon: cross },
  cancelled: { label: 'Cancelled', role: 'cancelled', icon: slash },
  skipped: { label: 'Skipped', role: 'cancelled', icon: dash },
};

/** Workers have badges, not states; they borrow looks so that colours keep one meaning. */
export const WORKER_BADGES: Record<WorkerState, StateLook> = {
  active: { label: 'Active', role: 'succeeded', icon: tick },
  draining: { label: 'Draining', role: 'retrying', icon: arrow },
  lost: { label: 'Lost', role: 'failed', icon: diamond },
  stopped: { label: 'Stopped', role: 'cancelled', icon: dash },
};

const UNKNOWN: Omit<StateLook, 'label'> = { role: 'cancelled', icon: dash };

/** The look of a state; one that this UI does not know yet keeps its own name. */
export function stateLook(state: string): StateLook {
  return (STATES as Partial<Record<string, StateLook>>)[state] ?? { ...UNKNOWN, label: state };
}

export function workerBadge(state: string): StateLook {
  return (
    (WORKER_BADGES as Partial<Record<string, StateLook>>)[state] ?? { ...UNKNOWN, label: state }
  );
}

export function isJobState(value: string | null): value is JobState {
  return value !== null && value !== 'failed' && value in STATES;
}
