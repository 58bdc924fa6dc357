import type { Merged } from './log-merge.js';

/** The export row after which to continue: the checkpoint of the export, and the position of the row in its order. */
export interface ExportCursor {
  checkpoint: number;
  order_ms: number;
  topic: string;
  partition: number;
  offset: number;
}

export function exportCursor(checkpoint: number, { order_ms, record }: Merged): string {
  return Buffer.from(`${checkpoint}|${order_ms}|${record.topic}|${record.partition}|${record.offset}`).toString('base64url');
}

/** Undefined if the text is not a valid cursor. */
export function parseExportCursor(text: string): ExportCursor | undefined {
  const match = /^(\d{1,15})\|(\d{1,15})\|([\w.-]{1,255})\|(\d{1,5})\|(\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString());
  if (!match) return undefined;
  const [, checkpoint, order_ms, topic, partition, offset] = match as unknown as [string, string, string, string, string, string];
  return { checkpoint: Number(checkpoint), order_ms: Number(order_ms), topic, partition: Number(partition), offset: Number(offset) };
}

/** True if a row follows the cursor in merge order. */
export function isBehind({ order_ms, record }: Merged, cursor: ExportCursor): boolean {
  if (order_ms !== cursor.order_ms) return order_ms > cursor.order_ms;
  if (record.topic !== cursor.topic) return record.topic > cursor.topic;
  if (record.partition !== cursor.partition) return record.partition > cursor.partition;
  return record.offset > cursor.offset;
}
