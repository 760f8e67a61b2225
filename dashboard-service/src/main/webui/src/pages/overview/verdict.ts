import type { Page, Worker } from '../../lib/api-types';
import { text } from '../../lib/messages';
import { WORKER_BADGES, type StateLook } from '../../lib/states';

export interface Verdict {
  sentence: string;
  /** Where on the page the reason is; null when there is none to look at. */
  href: string | null;
  look: StateLook;
}

const REASON = '#workers';

/** What can be said for certain from what the page has: nothing runs without a worker. */
export function verdictOf(workers: Page<Worker> | null): Verdict | null {
  if (!workers) return null;
  const count = (state: Worker['state']) =>
    workers.items.filter((worker) => worker.state === state).length;
  const lost = count('lost');
  if (count('active') === 0) {
    return { sentence: text.overview.noWorkerVerdict, href: REASON, look: WORKER_BADGES.lost };
  }
  if (lost > 0) {
    return { sentence: text.overview.lostVerdict(lost), href: REASON, look: WORKER_BADGES.lost };
  }
  return { sentence: text.overview.healthy, href: null, look: WORKER_BADGES.active };
}
