import { jsonBytesAtLeast, NotJson } from '@countersign/tool-kit/json-size';
import { jsonText } from '../json-text.js';
import { messageOf } from '../thrown-error.js';
import type { ReportedUnsent } from './protocol.js';

/** A larger output is not serialized: its text would take too much memory. */
export const OUTPUT_BYTES_HELD_MAX = 32 * 1024 * 1024;

/** The output of `run` in another process that was not sent to this one. */
export class UnsentAnswer {
  constructor(
    readonly why: ReportedUnsent['why'],
    readonly message: string,
    /** The small scalars at its top level. */
    readonly small_json: string,
  ) {}
}

/** The small scalars at the top level of an output that is too large to be serialized. */
export function smallPartsOf(output: unknown): string {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return 'null';
  const small = Object.entries(output).filter(([, member]) =>
    typeof member === 'string' ? member.length <= 1000 : typeof member === 'number' || typeof member === 'boolean',
  );
  return JSON.stringify(Object.fromEntries(small.slice(0, 100)));
}

/** The JSON of a tool's output, or why it cannot be sent. Never throws. */
export function sendable(output: unknown, max_output_bytes: number): { json: string } | { unsent: ReportedUnsent } {
  const held_max = Math.max(max_output_bytes, OUTPUT_BYTES_HELD_MAX);
  try {
    if (jsonBytesAtLeast(output, held_max) > held_max) {
      const message = `the output is larger than ${held_max} bytes`;
      return { unsent: { why: 'too_large', message, small_json: smallPartsOf(output) } };
    }
    return { json: jsonText(output) };
  } catch (cause) {
    return { unsent: { why: cause instanceof NotJson ? 'not_json' : 'unreadable', message: messageOf(cause), small_json: 'null' } };
  }
}
