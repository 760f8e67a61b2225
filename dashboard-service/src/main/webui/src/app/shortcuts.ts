import { signal } from '@preact/signals';
import { text } from '../lib/messages';
import { togglePause } from './live';
import { navigate, overviewPath, projectInPath } from './router';
import { nextTheme, shortcutsOn, toggleAbsolute, toggleZone } from './settings';

export interface Shortcut {
  /** One key, or two after another, as `KeyboardEvent.key` names them. */
  keys: string[];
  label: string;
  run: () => void;
}

export const helpOpen = signal(false);

/** Everything that a single key does: the `?` sheet shows exactly this list. */
export const SHORTCUTS: Shortcut[] = [
  {
    keys: ['g', 'o'],
    label: text.shortcuts.overview,
    run: () => {
      const project = projectInPath.peek();
      if (project) navigate(overviewPath(project));
    },
  },
  { keys: ['l'], label: text.shortcuts.pause, run: togglePause },
  { keys: ['z'], label: text.shortcuts.zone, run: toggleZone },
  { keys: ['T'], label: text.shortcuts.absolute, run: toggleAbsolute },
  { keys: ['D'], label: text.shortcuts.theme, run: nextTheme },
  {
    keys: ['?'],
    label: text.shortcuts.help,
    run: () => {
      helpOpen.value = true;
    },
  },
];

const SEQUENCE_MILLIS = 1_200;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('input, textarea, select, [contenteditable], [role="menu"], dialog') !== null
  );
}

/** Listens on the whole page; off when the person switched single keys off (WCAG 2.1.4). */
export function startShortcuts(): void {
  let first = '';
  let firstAt = 0;
  document.addEventListener('keydown', (event) => {
    if (!shortcutsOn.peek() || isTyping(event.target)) return;
    if (event.metaKey || event.ctrlKey || event.altKey || event.key === 'Shift') return;
    const before = Date.now() - firstAt < SEQUENCE_MILLIS ? first : '';
    first = event.key;
    firstAt = Date.now();
    const found = SHORTCUTS.find(({ keys }) =>
      keys.length === 1 ? keys[0] === event.key : keys[0] === before && keys[1] === event.key,
    );
    if (!found) return;
    event.preventDefault();
    found.run();
  });
}
