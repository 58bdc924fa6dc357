/** Rows above and below what is in view that are drawn, too. */
const MARGIN_ROWS = 8;

/** The rows of a scrolled box that are drawn: `from` to before `to`. */
export function rowsInView(count: number, row_px: number, scrolled_px: number, height_px: number): { from: number; to: number } {
  const from = Math.max(0, Math.floor(scrolled_px / row_px) - MARGIN_ROWS);
  return { from: Math.min(from, count), to: Math.min(count, Math.ceil((scrolled_px + height_px) / row_px) + MARGIN_ROWS) };
}
