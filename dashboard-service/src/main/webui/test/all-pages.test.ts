import { describe, expect, it } from 'vitest';
import { allPages } from '../src/lib/all-pages';
import type { Page } from '../src/lib/api-types';
import type { Answer } from '../src/lib/http';

function listOf(pages: Record<string, Page<number>>) {
  const asked: [string, string | null | undefined][] = [];
  const get = (path: string, etag?: string | null): Promise<Answer<Page<number>>> => {
    asked.push([path, etag]);
    return Promise.resolve({ changed: true, body: pages[path]!, etag: '"e"' });
  };
  return { asked, get };
}

describe('allPages', () => {
  it('shows every page, and keeps no ETag that speaks of the first alone', async () => {
    const { asked, get } = listOf({
      'x?limit=2': { items: [1, 2], nextCursor: 'a+b' },
      'x?limit=2&cursor=a%2Bb': { items: [3, 4], nextCursor: 'c' },
      'x?limit=2&cursor=c': { items: [5], nextCursor: null },
    });
    expect(await allPages(get, 'x?limit=2', null)).toEqual({
      changed: true,
      body: { items: [1, 2, 3, 4, 5], nextCursor: null },
      etag: null,
    });
    expect(asked).toHaveLength(3);
  });

  it('asks for a single page with its ETag', async () => {
    const { asked, get } = listOf({ 'x?limit=2': { items: [1], nextCursor: null } });
    expect(await allPages(get, 'x?limit=2', '"e"')).toMatchObject({ changed: true, etag: '"e"' });
    expect(asked).toEqual([['x?limit=2', '"e"']]);
    const unchanged = () => Promise.resolve({ changed: false } as const);
    expect(await allPages(unchanged, 'x?limit=2', '"e"')).toEqual({ changed: false });
  });
});
