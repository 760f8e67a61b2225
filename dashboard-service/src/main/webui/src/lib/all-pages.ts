import type { Page } from './api-types';
import type { Answer } from './http';

type Get<T> = (path: string, etag?: string | null) => Promise<Answer<Page<T>>>;

/**
 * A whole list as one page, for lists that are short but for a few. The ETag speaks of the first page alone, so what
 * has more is read anew each time. `path` has a query.
 */
export async function allPages<T>(
  get: Get<T>,
  path: string,
  etag: string | null,
): Promise<Answer<Page<T>>> {
  const first = await get(path, etag);
  if (!first.changed || !first.body.nextCursor) return first;
  const items = [...first.body.items];
  let cursor: string | null = first.body.nextCursor;
  while (cursor) {
    const next: Answer<Page<T>> = await get(`${path}&cursor=${encodeURIComponent(cursor)}`);
    if (!next.changed) break;
    items.push(...next.body.items);
    cursor = next.body.nextCursor;
  }
  return { changed: true, body: { ...first.body, items, nextCursor: null }, etag: null };
}
