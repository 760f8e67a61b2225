import { absoluteTimes, zone } from '../app/settings';
import { now } from '../lib/now';
import {
  formatAbsolute,
  formatDuration,
  formatRelative,
  formatShort,
  instantOf,
} from '../lib/time';
import { text } from '../lib/messages';

/** An instant: relative, the exact time and ISO form as its tip (or exact, when so chosen). */
export function Time({ iso, focusable = false }: { iso: string | null; focusable?: boolean }) {
  const instant = instantOf(iso);
  if (instant === null || iso === null) return <>{text.none}</>;
  const tip = `${formatAbsolute(instant, zone.value)}\n${iso}`;
  const shown = absoluteTimes.value
    ? formatShort(instant, zone.value)
    : formatRelative(instant, now.value);
  return (
    <time dateTime={iso} data-tip={tip} tabIndex={focusable ? 0 : undefined}>
      {shown}
    </time>
  );
}

/** The time between two instants, running on while there is no end. */
export function Span({ from, to }: { from: string | null; to: string | null }) {
  const start = instantOf(from);
  if (start === null) return <>{text.none}</>;
  const end = instantOf(to);
  if (end !== null) return <>{formatDuration(end - start)}</>;
  // While it runs, whole seconds are enough.
  return <>{formatDuration(Math.floor(Math.max(0, now.value - start) / 1_000) * 1_000)}</>;
}
