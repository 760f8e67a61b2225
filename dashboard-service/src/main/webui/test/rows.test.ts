import { effect } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { RowList } from '../src/lib/rows';

interface Item {
  id: string;
  state: string;
}

const items = (...ids: number[]): Item[] => ids.map((id) => ({ id: String(id), state: 'ready' }));

function listOf(...ids: number[]): RowList<Item> {
  const list = new RowList<Item>((item) => item.id);
  list.replace(items(...ids), 3);
  return list;
}

describe('RowList', () => {
  it('patches shown rows in place and only counts newer ones', () => {
    const list = listOf(3, 2, 1);
    list.patch([...items(5, 4), { id: '3', state: 'running' }, ...items(2, 1)]);
    expect(list.ids.value).toEqual(['3', '2', '1']);
    expect(list.row('3').value.state).toBe('running');
    expect(list.newer.value).toBe(2);
  });

  it('shows what was held back', () => {
    const list = listOf(3, 2, 1);
    list.patch(items(5, 4, 3, 2, 1));
    list.showNewer(3);
    expect(list.ids.value).toEqual(['5', '4', '3']);
    expect(list.newer.value).toBe(0);
  });

  it('renders only the row that changed', () => {
    const list = listOf(3, 2, 1);
    const rendered: string[] = [];
    for (const id of ['3', '2', '1']) {
      effect(() => {
        rendered.push(list.row(id).value.id);
      });
    }
    rendered.length = 0;
    list.patch([{ id: '2', state: 'dead' }, ...items(3, 1)]);
    expect(rendered).toEqual(['2']);
  });

  it('does not touch the order when the same rows come again', () => {
    const list = listOf(3, 2, 1);
    let renders = 0;
    effect(() => {
      renders += list.ids.value.length;
    });
    list.replace(items(3, 2, 1), 3);
    expect(renders).toBe(3);
  });

  it('marks rows that the newest answer no longer holds', () => {
    const list = listOf(3, 2, 1);
    list.patch(items(9, 8, 3, 2));
    expect([...list.stale.value]).toEqual(['1']);
    list.patch(items(9, 8, 3, 2, 1));
    expect(list.stale.value.size).toBe(0);
  });

  it('does not take an older row that comes in for a newer one', () => {
    const list = listOf(4, 3, 2);
    list.patch(items(4, 3, 2, 1));
    expect(list.newer.value).toBe(0);
  });
});
