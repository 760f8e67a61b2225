import type { Count as CountValue } from '../lib/api-types';
import { formatCount, spokenCount } from '../lib/counts';

/** A count that says whether it is exact: `1,873`, or `10,000+` read as "at least 10,000". */
export function Count({
  count,
  quiet = false,
}: {
  count: CountValue | null | undefined;
  quiet?: boolean;
}) {
  const spoken = spokenCount(count);
  const dim = quiet && (!count || (count.value === 0 && !count.capped)) ? 'zero' : undefined;
  if (!spoken) return <span class={dim}>{formatCount(count)}</span>;
  return (
    <span class={dim} data-tip={spoken}>
      <span aria-hidden="true">{formatCount(count)}</span>
      <span class="only-spoken">{spoken}</span>
    </span>
  );
}
