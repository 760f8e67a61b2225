// @vitest-environment happy-dom
import { readFileSync } from 'node:fs';
import { render } from '@testing-library/preact';
import { describe, expect, it } from 'vitest';
import { StateMark } from '../src/components/icons';
import { isJobState, stateLook, STATES, WORKER_BADGES } from '../src/lib/states';
import { contrast, deltaE, simulate, VISIONS } from './color';

const TOKENS = readFileSync('src/styles/tokens.css', 'utf8');
const ROLES = [...new Set(Object.values(STATES).map(({ role }) => role))];

/** The value of a token, first in the light and then in the dark theme. */
function token(name: string): [string, string] {
  const found = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(TOKENS);
  if (!found?.[1] || !found[2]) throw new Error(`no token ${name}`);
  return [found[1], found[2]];
}

describe.each([
  ['light', 0],
  ['dark', 1],
] as const)('the %s theme', (_theme, index) => {
  const value = (name: string) => token(name)[index];
  const surfaces = ['bg', 'surface', 'raised'].map(value);

  it.each(['text', 'muted', 'danger', 'accent'])('prints %s at 4.5:1 or more', (name) => {
    for (const surface of [...surfaces, value('hover')]) {
      expect(contrast(value(name), surface)).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('prints on the accent and on a selection', () => {
    expect(contrast(value('on-accent'), value('accent'))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(value('text'), value('accent-soft'))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(value('muted'), value('accent-soft'))).toBeGreaterThanOrEqual(4.5);
  });

  it.each(['control', 'focus'])('draws %s at 3:1 or more', (name) => {
    for (const surface of surfaces) {
      expect(contrast(value(name), surface)).toBeGreaterThanOrEqual(3);
    }
  });

  it.each(ROLES)('draws the state %s at 3:1 or more', (role) => {
    for (const surface of surfaces) {
      expect(contrast(value(`state-${role}`), surface)).toBeGreaterThanOrEqual(3);
    }
  });

  it.each(VISIONS)('keeps all states apart for %s', (vision) => {
    let worst = Number.POSITIVE_INFINITY;
    for (const a of ROLES) {
      for (const b of ROLES) {
        if (a >= b) continue;
        const seen = [a, b].map((role) => simulate(value(`state-${role}`), vision));
        worst = Math.min(worst, deltaE(seen[0] ?? [0, 0, 0], seen[1] ?? [0, 0, 0]));
      }
    }
    expect(worst).toBeGreaterThanOrEqual(vision === 'normal' ? 18 : 9);
  });
});

describe('the table of states', () => {
  it('has a label and an icon of its own for each state', () => {
    const looks = Object.values(STATES);
    expect(new Set(looks.map(({ label }) => label)).size).toBe(looks.length);
    expect(new Set(looks.map(({ icon }) => icon)).size).toBe(looks.length);
  });

  it('shows icon and label, the icon hidden from screen readers', () => {
    const { container } = render(<StateMark look={STATES.dead} />);
    expect(container.textContent).toBe('Dead');
    expect(container.querySelector('svg')?.getAttribute('aria-hidden')).toBe('true');
  });

  it('keeps the name of a state that it does not know yet', () => {
    expect(stateLook('hibernating').label).toBe('hibernating');
    expect(isJobState('hibernating')).toBe(false);
    expect(isJobState('failed')).toBe(false);
    expect(isJobState('dead')).toBe(true);
  });

  it('uses only roles that have a colour', () => {
    for (const { role } of [...Object.values(STATES), ...Object.values(WORKER_BADGES)]) {
      expect(token(`state-${role}`)).toHaveLength(2);
    }
  });
});
