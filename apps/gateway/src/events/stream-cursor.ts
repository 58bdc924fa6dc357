import type { LogLayout, Place } from './log-layout.js';

const VERSION = 1;
const TAG_BYTES = 6;
const OFFSET_MAX = 2 ** 50;
/** Longer texts are not read. */
const TEXT_MAX = 16_000;

/** How many items of one record were sent, where a stream was cut between them. */
export interface PartOfRecord {
  slot: number;
  items: number;
}

/** Where a stream resumes. */
export interface StreamCursor {
  place: Place;
  part?: PartOfRecord;
}

function pushNumber(bytes: number[], value: number): void {
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
}

/** The text of a cursor. It is opaque to readers. */
export function streamCursorText(layout: LogLayout, { place, part }: StreamCursor): string {
  const bytes = [VERSION, ...layout.tag];
  for (const offset of place) pushNumber(bytes, offset);
  if (part) for (const value of [part.slot, part.items]) pushNumber(bytes, value);
  return Buffer.from(bytes).toString('base64url');
}

/** All numbers of a text; undefined if one does not end or is out of range. */
function numbersOf(bytes: Buffer): number[] | undefined {
  const numbers: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes[at++];
      if (byte === undefined || scale > OFFSET_MAX) return undefined;
      value += (byte % 128) * scale;
      if (byte < 128) break;
      scale *= 128;
    }
    if (value > OFFSET_MAX) return undefined;
    numbers.push(value);
  }
  return numbers;
}

export type ParsedCursor = StreamCursor | 'malformed' | 'other_installation';

/** Reads the text of a cursor. `other_installation`: this gateway's log has other partitions, or is another log. */
export function parseStreamCursor(layout: LogLayout, text: string): ParsedCursor {
  if (text.length > TEXT_MAX || !/^[\w-]+$/.test(text)) return 'malformed';
  const bytes = Buffer.from(text, 'base64url');
  if (bytes[0] !== VERSION || bytes.length <= 1 + TAG_BYTES) return 'malformed';
  if (!bytes.subarray(1, 1 + TAG_BYTES).equals(layout.tag)) return 'other_installation';
  const numbers = numbersOf(bytes.subarray(1 + TAG_BYTES));
  const size = layout.slots.length;
  if (!numbers || (numbers.length !== size && numbers.length !== size + 2)) return 'malformed';
  const [slot, items] = numbers.slice(size);
  if (slot === undefined || items === undefined) return { place: numbers };
  if (slot >= size || items < 1) return 'malformed';
  return { place: numbers.slice(0, size), part: { slot, items } };
}
