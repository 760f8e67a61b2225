import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { zone } from '../app/settings';
import { readSetting, writeSetting } from '../lib/storage';
import type { ApiError } from '../lib/http';
import { FALLBACK_POLL_MILLIS, SAFETY_POLL_MILLIS } from '../lib/live/refresher';
import { text } from '../lib/messages';
import { now } from '../lib/now';
import type { Query } from '../lib/query';
import { clockSkew } from '../lib/skew';
import { formatClock, formatDuration } from '../lib/time';
import { status } from '../app/live';
import { WarningIcon } from './icons';

const SKELETON_AFTER_MILLIS = 150;
const SLOW_AFTER_MILLIS = 3_000;
/** Widest phone layout, as in the style sheets. */
const PHONE = 640;

/** True once `millis` have passed since the component came up. */
function useAfter(millis: number): boolean {
  const [passed, setPassed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setPassed(true), millis);
    return () => clearTimeout(timer);
  }, [millis]);
  return passed;
}

/** Remembers how high a panel's content was, so that the next visit keeps that much free. */
function useHeightMemory(id: string, filled: boolean) {
  const box = useRef<HTMLDivElement>(null);
  const key = `height.${id}.${window.innerWidth > PHONE ? 'wide' : 'phone'}`;
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    if (filled) {
      const height = String(element.offsetHeight);
      if (readSetting(key) !== height) writeSetting(key, height);
    } else {
      const known = Number(readSetting(key));
      if (known > 0) element.style.minHeight = `${known}px`;
    }
  });
  return box;
}

function Skeleton({ rows }: { rows: number }) {
  const show = useAfter(SKELETON_AFTER_MILLIS);
  const slow = useAfter(SLOW_AFTER_MILLIS);
  return (
    <div class="skeleton" aria-busy="true">
      <span class="only-spoken">{text.loading}</span>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} class={show ? 'skeleton-row shown' : 'skeleton-row'} />
      ))}
      {slow && <p class="skeleton-slow">{text.stillLoading}</p>}
    </div>
  );
}

/** A failed request in the place of what it was to bring, with what can be done. */
export function Failure({ error, onRetry }: { error: ApiError; onRetry: () => void }) {
  return (
    <div class="failure" role="alert">
      <WarningIcon />
      <div>
        <p class="failure-title">{error.message}</p>
        {error.detail && <p>{error.detail}</p>}
        {error.retryAfterMillis !== undefined && (
          <p>{text.retryIn(formatDuration(error.retryAfterMillis))}</p>
        )}
        {error.traceId && (
          <p class="meta">
            {text.traceId} <code>{error.traceId}</code>
          </p>
        )}
      </div>
      <button type="button" class="button" onClick={onRetry}>
        {text.retry}
      </button>
    </div>
  );
}

/** "as of 14:02:11" when the data is older than twice the time in which it should be renewed. */
function Age({ query }: { query: Query<unknown> }) {
  const loadedAt = query.loadedAt.value;
  if (loadedAt === null) return null;
  const interval =
    status.value.kind === 'live' || status.value.kind === 'slowed'
      ? SAFETY_POLL_MILLIS
      : FALLBACK_POLL_MILLIS;
  const age = now.value - clockSkew.value - loadedAt;
  if (age < 2 * interval) return null;
  return (
    <span class="meta age">{text.asOf(formatClock(loadedAt + clockSkew.value, zone.value))}</span>
  );
}

export interface PanelProps<T> {
  id: string;
  title: string;
  query: Query<T>;
  /** Rows of real height to keep free while the first answer is on its way. */
  expectRows: number;
  /** Beside the title. */
  hint?: ComponentChildren;
  /** At the end of the title bar; its place is always kept. */
  tools?: ComponentChildren;
  /** What was shown before the question changed: stays, dimmed, until the new answer comes. */
  previous?: T | null;
  children: (data: T) => ComponentChildren;
}

/** A titled part of a page that loads, fails and ages on its own. */
export function Panel<T>(props: PanelProps<T>) {
  const { id, title, query, expectRows, hint, tools, children } = props;
  const fresh = query.data.value;
  const data = fresh ?? props.previous ?? null;
  const error = query.error.value;
  const box = useHeightMemory(id, data !== null);
  return (
    <section
      class={fresh === null && data !== null ? 'panel changing' : 'panel'}
      id={id}
      aria-labelledby={`${id}-title`}
    >
      <header class="panel-head">
        <h2 id={`${id}-title`}>{title}</h2>
        {hint && <span class="meta">{hint}</span>}
        <span class="panel-tools">
          <Age query={query as Query<unknown>} />
          {tools}
        </span>
      </header>
      {error && <Failure error={error} onRetry={() => query.refresher.refreshNow()} />}
      <div class="panel-body" key={data === null ? 'waiting' : 'filled'} ref={box}>
        {data !== null ? children(data) : !error && <Skeleton rows={expectRows} />}
      </div>
    </section>
  );
}
