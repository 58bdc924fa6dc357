import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RecordProof, RecordToCover } from '@countersign/verifier';

/** A record with its proof and keys, as docs/reference/proofs.md publishes them. */
export interface PublishedVector {
  vkey: string;
  witness: string;
  record: Omit<RecordToCover, 'value'> & { value: string };
  /** Hash of the record's leaf, hex. */
  leaf: string;
  proof: RecordProof;
}

const PAGE = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../../docs/reference/proofs.md');

/** The vector of docs/reference/proofs.md. */
export function publishedVector(): PublishedVector {
  const [, text] = /```json\n([\s\S]+?)```/.exec(readFileSync(PAGE, 'utf8')) ?? [];
  return JSON.parse(text as string) as PublishedVector;
}
