import type { ComponentChildren } from 'preact';

const ROW = 'tbody tr';

/** Moves the focus among the rows: one tab stop per table, arrows or j/k inside. */
function moveRow(event: KeyboardEvent): void {
  const table = event.currentTarget as HTMLElement;
  const row = (event.target as HTMLElement).closest<HTMLElement>(ROW);
  if (!row || event.metaKey || event.ctrlKey || event.altKey) return;
  const rows = [...table.querySelectorAll<HTMLElement>(ROW)];
  const at = rows.indexOf(row);
  const steps: Record<string, number> = {
    ArrowDown: at + 1,
    j: at + 1,
    ArrowUp: at - 1,
    k: at - 1,
    Home: 0,
    End: rows.length - 1,
  };
  const to = steps[event.key];
  const next = to === undefined ? undefined : rows[to];
  if (!next) return;
  event.preventDefault();
  enterRow(table, next);
  next.focus();
}

function enterRow(table: HTMLElement, row: HTMLElement): void {
  for (const other of table.querySelectorAll<HTMLElement>(`${ROW}[tabindex="0"]`)) {
    if (other !== row) other.tabIndex = -1;
  }
  row.tabIndex = 0;
}

export interface TableProps {
  labelledBy: string;
  head: ComponentChildren;
  children: ComponentChildren;
  /** Unknown total: the rows are the newest of many. */
  openEnded?: boolean;
  class?: string;
}

/**
 * A real table that scrolls inside its panel and is walked by keyboard row by row. The roles are
 * spelled out because on a phone the rows are laid out as grids, which would take them away.
 */
export function Table({ labelledBy, head, children, openEnded, class: name }: TableProps) {
  return (
    <div class="table-scroll">
      <table
        role="table"
        class={name}
        aria-labelledby={labelledBy}
        aria-rowcount={openEnded ? -1 : undefined}
        onKeyDown={moveRow}
        onFocusIn={(event) => {
          const row = (event.target as HTMLElement).closest<HTMLElement>(ROW);
          if (row) enterRow(event.currentTarget, row);
        }}
      >
        <thead role="rowgroup">
          <tr role="row">{head}</tr>
        </thead>
        <tbody role="rowgroup">{children}</tbody>
      </table>
    </div>
  );
}

/** A column's head; numbers are set to the right. */
export function Head({ children, number }: { children: ComponentChildren; number?: boolean }) {
  return (
    <th role="columnheader" scope="col" class={number ? 'number' : undefined}>
      {children}
    </th>
  );
}

export interface RowProps {
  children: ComponentChildren;
  /** The first row is the table's tab stop until another one was entered. */
  first: boolean;
  class?: string;
}

export function Row({ children, first, class: name }: RowProps) {
  return (
    <tr role="row" tabIndex={first ? 0 : -1} class={name}>
      {children}
    </tr>
  );
}

export interface CellProps {
  children: ComponentChildren;
  /** Place in the two-line layout of a phone, and the column's own styling. */
  area: string;
  /** Printed before the value where there are no column heads. */
  label?: string;
  number?: boolean;
}

export function Cell({ children, area, label, number }: CellProps) {
  return (
    <td role="cell" class={number ? `number cell-${area}` : `cell-${area}`} data-label={label}>
      {children}
    </td>
  );
}
