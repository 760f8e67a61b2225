import { signal } from '@preact/signals';
import { readSetting, writeSetting } from '../lib/storage';
import type { Zone } from '../lib/time';

export type Theme = 'system' | 'light' | 'dark';

const THEMES: Theme[] = ['system', 'light', 'dark'];

export const theme = signal<Theme>(
  THEMES.find((candidate) => candidate === readSetting('theme')) ?? 'system',
);
/** undefined = the browser's zone. */
export const zone = signal<Zone>(readSetting('zone') ?? undefined);
export const absoluteTimes = signal(readSetting('absolute') === 'yes');
export const shortcutsOn = signal(readSetting('shortcuts') !== 'off');
export const followNewest = signal(readSetting('follow') !== 'off');

export function applyTheme(next: Theme): void {
  theme.value = next;
  writeSetting('theme', next === 'system' ? null : next);
  if (next === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = next;
}

export function nextTheme(): void {
  applyTheme(THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system');
}

export function toggleZone(): void {
  zone.value = zone.value === undefined ? 'UTC' : undefined;
  writeSetting('zone', zone.value ?? null);
}

export function toggleAbsolute(): void {
  absoluteTimes.value = !absoluteTimes.value;
  writeSetting('absolute', absoluteTimes.value ? 'yes' : null);
}

export function setShortcuts(on: boolean): void {
  shortcutsOn.value = on;
  writeSetting('shortcuts', on ? null : 'off');
}

export function setFollow(on: boolean): void {
  followNewest.value = on;
  writeSetting('follow', on ? null : 'off');
}
