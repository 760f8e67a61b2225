import { absoluteTimes, zone } from '../app/settings';
import { now } from '../lib/now';
import {
  formatAbsolute,
  formatDuration,
  formatElapsed,
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
  return <>{formatElapsed(now.value - start)}</>;
}

/** How old something was when it was read: standing still, since what is read later may be newer. */
export function AgeAt({ iso, readAt }: { iso: string; readAt: number }) {
  const instant = instantOf(iso);
  if (instant === null) return <>{text.none}</>;
  const tip = `${formatAbsolute(instant, zone.value)}\n${iso}`;
  return (
    <time dateTime={iso} data-tip={tip}>
      {formatRelative(instant, readAt)}
    </time>
  );
}
