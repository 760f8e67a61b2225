const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const pad = (value: number): string => String(value).padStart(2, '0');

/** `823 ms`, `2.4 s`, `48 s`, `14 m 02 s`, `3 h 05 m`, `3 d 4 h`. Negative counts as none. */
export function formatDuration(millis: number): string {
  const left = Math.max(0, millis);
  if (left < SECOND) return `${Math.floor(left)} ms`;
  if (left < 10 * SECOND) return `${(Math.floor(left / 100) / 10).toFixed(1)} s`;
  if (left < MINUTE) return `${Math.floor(left / SECOND)} s`;
  if (left < HOUR)
    return `${Math.floor(left / MINUTE)} m ${pad(Math.floor((left % MINUTE) / SECOND))} s`;
  if (left < DAY)
    return `${Math.floor(left / HOUR)} h ${pad(Math.floor((left % HOUR) / MINUTE))} m`;
  return `${Math.floor(left / DAY)} d ${Math.floor((left % DAY) / HOUR)} h`;
}

/** The same for a time that still runs, in whole seconds: `0 s`, `48 s`, `14 m 02 s`. */
export function formatElapsed(millis: number): string {
  const left = Math.max(0, millis);
  return left < MINUTE ? `${Math.floor(left / SECOND)} s` : formatDuration(left);
}

/** Coarse age in one unit: `now`, `25 s`, `14 m`, `3 h`, `12 d`. Below a minute in steps of 5 s. */
export function formatAge(millis: number): string {
  const age = Math.max(0, millis);
  if (age < 5 * SECOND) return 'now';
  if (age < MINUTE) return `${Math.floor(age / (5 * SECOND)) * 5} s`;
  if (age < HOUR) return `${Math.floor(age / MINUTE)} m`;
  if (age < 2 * DAY) return `${Math.floor(age / HOUR)} h`;
  return `${Math.floor(age / DAY)} d`;
}

/** `14 m ago`, `in 3 h`, `now`. */
export function formatRelative(instant: number, now: number): string {
  const ahead = instant - now;
  if (ahead > 5 * SECOND) return `in ${formatAge(ahead)}`;
  const age = formatAge(now - instant);
  return age === 'now' ? age : `${age} ago`;
}

export type Zone = string | undefined;

const formats = new Map<string, Intl.DateTimeFormat>();

function format(
  kind: string,
  zone: Zone,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const key = `${kind} ${zone ?? ''}`;
  let found = formats.get(key);
  if (!found) {
    found = new Intl.DateTimeFormat(undefined, zone ? { ...options, timeZone: zone } : options);
    formats.set(key, found);
  }
  return found;
}

/** Date, time to the second and the zone, in the reader's locale. */
export function formatAbsolute(instant: number, zone: Zone): string {
  return format('absolute', zone, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  }).format(instant);
}

/** Time of day to the second, for "as of" labels. */
export function formatClock(instant: number, zone: Zone): string {
  return format('clock', zone, { hour: 'numeric', minute: '2-digit', second: '2-digit' }).format(
    instant,
  );
}

/** Short absolute time for table cells when absolute times are switched on. */
export function formatShort(instant: number, zone: Zone): string {
  return format('short', zone, {
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    second: '2-digit',
  }).format(instant);
}

/** The zone's name as printed to people: the setting, or the browser's own. */
export function zoneName(zone: Zone): string {
  return zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Milliseconds since the epoch, or null when there is no such instant. */
export function instantOf(iso: string | null | undefined): number | null {
  if (!iso) return null;
  const instant = Date.parse(iso);
  return Number.isNaN(instant) ? null : instant;
}
