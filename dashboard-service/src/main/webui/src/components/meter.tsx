/** Share of a whole as a bar: one segment per state. The numbers stand beside it as text. */
export interface Segment {
  role: string;
  value: number;
}

const WIDTH = 100;

export function Meter({ segments, max }: { segments: Segment[]; max: number }) {
  let at = 0;
  return (
    <svg class="meter" viewBox={`0 0 ${WIDTH} 6`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="meter-track" width={WIDTH} height="6" />
      {segments.map(({ role, value }) => {
        const width = max > 0 ? Math.min(WIDTH - at, (value / max) * WIDTH) : 0;
        const x = at;
        at += width;
        return <rect key={role} class={`state-${role}`} x={x} width={width} height="6" />;
      })}
    </svg>
  );
}
