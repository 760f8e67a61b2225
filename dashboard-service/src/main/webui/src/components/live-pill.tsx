import { status, togglePause } from '../app/live';
import { zone } from '../app/settings';
import { text } from '../lib/messages';
import { clockSkew } from '../lib/skew';
import { formatClock } from '../lib/time';

/** How fresh the page is, always in sight; a click pauses and resumes. */
export function LivePill() {
  const current = status.value;
  const label =
    current.kind === 'offline'
      ? text.live.offline(formatClock(current.since + clockSkew.value, zone.value))
      : text.live[current.kind];
  return (
    <button
      type="button"
      class={`pill pill-${current.kind}`}
      aria-pressed={current.kind === 'paused'}
      data-tip={text.live.explain[current.kind]}
      onClick={togglePause}
    >
      <span class="dot" aria-hidden="true" />
      <span class="pill-text">{label}</span>
    </button>
  );
}
