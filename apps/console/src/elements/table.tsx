import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useShortcuts } from '../navigation/keyboard.js';
import { Link } from '../navigation/link.js';
import { useNavigate } from '../navigation/navigation.js';
import { Button } from './button.js';
import { InRowContext } from './in-row.js';
import { rowAfter } from './row-keys.js';
import { useVirtualRows } from './virtual-rows.js';
import './table.css';

export interface Column<T> {
  /** Unique in its table. */
  id: string;
  title: string;
  cell: (item: T) => ComponentChildren;
  /** Of the grid: `1fr`, `120px`, `minmax(0, 2fr)`. Default `minmax(0, 1fr)`. */
  width?: string;
  align?: 'end';
  /** Left out below 900 px; the first column always stays. */
  is_wide_only?: boolean;
}

interface TableProps<T> {
  /** What the list is, for those who do not see it. */
  label: string;
  columns: readonly Column<T>[];
  items: readonly T[];
  keyOf: (item: T) => string;
  /** Where a row leads to. */
  hrefOf?: (item: T) => string;
  /** Shown at the end while there is more to load. */
  more?: { has_more: boolean; is_loading_more: boolean; more: () => void };
}

const ROW_PX = 44;
const NARROW_ROW_PX = 64;
/** As --nav-width in tokens.css: below it rows are two lines high. */
const WIDE = '(min-width: 900px)';

/** A list of items in rows: `j` and `k` select, Enter opens. A long list draws only what is in view. */
export function Table<T>({ label, columns, items, keyOf, hrefOf, more }: TableProps<T>) {
  const body = useRef<HTMLDivElement>(null);
  const go = useNavigate();
  const [selected_key, setSelectedKey] = useState<string>();
  const [top_px, setTop] = useState(0);
  const row_px = matchMedia(WIDE).matches ? ROW_PX : NARROW_ROW_PX;
  const { rows, above_px, below_px, show } = useVirtualRows(items.length, row_px, top_px);
  useLayoutEffect(() => {
    const at = (body.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    if (Math.abs(at - top_px) > 1) setTop(at);
  });
  const selected = items.findIndex((item) => keyOf(item) === selected_key);
  const select = (key: string) => {
    const row = rowAfter(key, selected, items.length);
    if (row === undefined) return;
    setSelectedKey(keyOf(items[row] as T));
    show(row);
    requestAnimationFrame(() => body.current?.querySelector<HTMLElement>(`[data-row="${row}"]`)?.focus());
  };
  const move = (event: KeyboardEvent) => {
    if (!['ArrowDown', 'ArrowUp', 'Home', 'End'].includes(event.key)) return;
    event.preventDefault();
    select(event.key);
  };
  useShortcuts([
    { keys: 'j', label: 'Next row', group: 'List', run: () => select('j') },
    { keys: 'k', label: 'Former row', group: 'List', run: () => select('k') },
    ...(hrefOf
      ? [{ keys: 'Enter', label: 'Open the row', group: 'List', run: () => selected >= 0 && go(hrefOf(items[selected] as T)) }]
      : []),
  ]);
  const template = { '--columns': columns.map(({ width = 'minmax(0, 1fr)' }) => width).join(' ') };
  return (
    <div class="table" style={template}>
      <div role="table" aria-label={label} aria-rowcount={more?.has_more ? -1 : items.length + 1}>
        <div class="table-row table-head" role="row">
          {columns.map((column) => (
            <div key={column.id} role="columnheader" class={cellClass(column)}>
              {column.title}
            </div>
          ))}
        </div>
        <div ref={body} role="rowgroup" onKeyDown={move}>
          <div style={{ height: `${above_px}px` }} />
          {rows.map((row) => {
            const item = items[row] as T;
            const key = keyOf(item);
            return (
              <Row
                key={key}
                {...{ item, row, columns }}
                href={hrefOf?.(item)}
                is_selected={key === selected_key}
                onFocus={() => setSelectedKey(key)}
              />
            );
          })}
          <div style={{ height: `${below_px}px` }} />
        </div>
      </div>
      {more?.has_more && (
        <div class="table-more">
          <Button is_busy={more.is_loading_more} onClick={more.more}>
            {more.is_loading_more ? 'Loading' : 'Load more'}
          </Button>
        </div>
      )}
    </div>
  );
}

interface RowProps<T> {
  item: T;
  row: number;
  columns: readonly Column<T>[];
  href: string | undefined;
  is_selected: boolean;
  onFocus: () => void;
}

/** The link of its first cell covers the row. Without a link the row itself gets the focus. */
function Row<T>({ item, row, columns, href, is_selected, onFocus }: RowProps<T>) {
  return (
    <div
      class={`table-row table-item ${href ? 'table-item-link' : ''}`}
      role="row"
      aria-rowindex={row + 2}
      data-selected={is_selected || undefined}
      data-row={href ? undefined : row}
      tabIndex={href ? undefined : -1}
      onFocusIn={onFocus}
    >
      <InRowContext.Provider value={true}>
        {columns.map((column, at) => (
          <div key={column.id} role="cell" class={cellClass(column)}>
            {href && at === 0 ? (
              <Link href={href} class="table-link" data-row={row}>
                {column.cell(item)}
              </Link>
            ) : (
              column.cell(item)
            )}
          </div>
        ))}
      </InRowContext.Provider>
    </div>
  );
}

const cellClass = ({ align, is_wide_only }: Column<never>): string =>
  `table-cell ${align === 'end' ? 'table-end' : ''} ${is_wide_only ? 'table-wide-only' : ''}`;
