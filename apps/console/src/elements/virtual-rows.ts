import { elementScroll, observeWindowOffset, observeWindowRect, type VirtualItem, Virtualizer, windowScroll } from '@tanstack/virtual-core';
import { useEffect, useLayoutEffect, useReducer, useState } from 'preact/hooks';

/** Fewer rows than this are all drawn: then the search of the browser finds everything. */
const ALL_DRAWN = 120;
const OVERSCAN = 12;

export interface DrawnRows {
  /** Indexes of the rows that are drawn. */
  rows: readonly number[];
  /** Height of what is left out above and below them. */
  above_px: number;
  below_px: number;
  /** Brings a row into view. */
  show: (row: number) => void;
}

/** Which rows of a long list are drawn, as the window is scrolled. `top_px` is where the list begins on the page. */
export function useVirtualRows(count: number, row_px: number, top_px: number): DrawnRows {
  const [, render] = useReducer<number, void>((times) => times + 1, 0);
  const is_virtual = count > ALL_DRAWN;
  const options = {
    count: is_virtual ? count : 0,
    estimateSize: () => row_px,
    overscan: OVERSCAN,
    scrollMargin: top_px,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll as typeof elementScroll,
    onChange: () => render(),
  };
  const [virtualizer] = useState(() => new Virtualizer<Window, Element>(options as never));
  virtualizer.setOptions(options as never);
  useEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  if (!is_virtual) return { rows: Array.from({ length: count }, (_, at) => at), above_px: 0, below_px: 0, show: () => undefined };
  const items: readonly VirtualItem[] = virtualizer.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  return {
    rows: items.map(({ index }) => index),
    above_px: first ? first.start - top_px : 0,
    below_px: last ? virtualizer.getTotalSize() - (last.end - top_px) : 0,
    show: (row) => virtualizer.scrollToIndex(row, { align: 'auto' }),
  };
}
