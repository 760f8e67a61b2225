import type { ComponentChildren } from 'preact';
import type { StateLook } from '../lib/states';

/** The icon of a state; decoration beside its label. */
export function StateIcon({ look }: { look: StateLook }) {
  return (
    <svg class={`icon state state-${look.role}`} viewBox="0 0 16 16" aria-hidden="true">
      {look.icon}
    </svg>
  );
}

/** Icon, label in text colour: how a state is shown everywhere. */
export function StateMark({ look }: { look: StateLook }) {
  return (
    <span class="mark">
      <StateIcon look={look} />
      {look.label}
    </span>
  );
}

function Glyph({ children }: { children: ComponentChildren }) {
  return (
    <svg class="icon glyph" viewBox="0 0 16 16" aria-hidden="true">
      {children}
    </svg>
  );
}

export const BrandIcon = () => (
  <svg class="icon brand-icon" viewBox="0 0 16 16" aria-hidden="true">
    <path class="line thick" d="M2 3.5h12M2 8h9M2 12.5h5" />
  </svg>
);

export const OverviewIcon = () => (
  <Glyph>
    <path class="line" d="M2.5 9h4v4.5h-4zM9.5 2.5h4v11h-4zM2.5 2.5h4v3h-4z" />
  </Glyph>
);

export const ChevronIcon = () => (
  <Glyph>
    <path class="line" d="m4.5 6.5 3.5 3.5 3.5-3.5" />
  </Glyph>
);

export const CheckIcon = () => (
  <Glyph>
    <path class="line" d="m3 8.5 3.2 3L13 4.5" />
  </Glyph>
);

export const PersonIcon = () => (
  <Glyph>
    <circle class="line" cx="8" cy="5.2" r="2.8" />
    <path class="line" d="M2.8 14c.5-3 2.6-4.5 5.2-4.5s4.7 1.5 5.2 4.5" />
  </Glyph>
);

export const SystemIcon = () => (
  <Glyph>
    <circle class="line" cx="8" cy="8" r="5.6" />
    <path class="ink" d="M8 2.4a5.6 5.6 0 0 1 0 11.2z" />
  </Glyph>
);

export const SunIcon = () => (
  <Glyph>
    <circle class="line" cx="8" cy="8" r="2.8" />
    <path
      class="line"
      d="M8 1.2v1.6M8 13.2v1.6M1.2 8h1.6M13.2 8h1.6M3.2 3.2l1.1 1.1M11.7 11.7l1.1 1.1M12.8 3.2l-1.1 1.1M4.3 11.7l-1.1 1.1"
    />
  </Glyph>
);

export const MoonIcon = () => (
  <Glyph>
    <path class="line" d="M13.3 9.8A5.8 5.8 0 0 1 6.2 2.7a5.8 5.8 0 1 0 7.1 7.1z" />
  </Glyph>
);

export const WarningIcon = () => (
  <Glyph>
    <path class="line" d="M8 2.2 14.5 13.5h-13zM8 6.5v3.2M8 11.7v.1" />
  </Glyph>
);
