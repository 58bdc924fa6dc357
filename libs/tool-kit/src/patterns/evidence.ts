import { sha256Hex } from '@countersign/contracts';
import { z } from 'zod';
import type { ToolTraits } from '../tool.js';

/** What an author of a patterned tool declares; the template sets effect class and pattern. */
export type PatternTraits = Omit<ToolTraits, 'pattern' | 'effect_class' | 'reversibility' | 'idempotency' | 'takes_key'>;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A position in a source: UTF-16 offsets, end exclusive, and the exact text, so that anyone can verify it. */
export const evidenceSpan = z.strictObject({
  source_id: z.string(),
  source_sha256: sha256,
  start: z.int().min(0),
  end: z.int().min(0),
  text: z.string(),
});
export type EvidenceSpan = z.output<typeof evidenceSpan>;

/** An exception, with a kind on which callers can branch (`extract.not_found`). */
export const exceptionRef = z.strictObject({ kind: z.string(), message: z.string() });

/** A complete text or JSON document with its name: a pure tool reads nothing else. */
export const sourceDocument = z.strictObject({
  source_id: z.string().min(1).max(300),
  media_type: z.enum(['text/plain', 'application/json']),
  content: z.string().max(1_000_000),
});
export type SourceDocument = z.output<typeof sourceDocument>;

/** @throws RangeError if the span lies outside the source: evidence must be verifiable. */
export function spanOf(source: Pick<SourceDocument, 'source_id' | 'content'>, start: number, end: number): EvidenceSpan {
  const { source_id, content } = source;
  if (!(Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start < end && end <= content.length)) {
    throw new RangeError(`${start} to ${end} is not a span of ${source_id}`);
  }
  return { source_id, source_sha256: sha256Hex(content), start, end, text: content.slice(start, end) };
}
