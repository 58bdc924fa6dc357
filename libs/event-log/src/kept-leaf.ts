import { hash } from 'node:crypto';
import { leafHashText, prefixedRecordLeaf } from '@countersign/contracts';
import type { LogRecord, NewRecord } from './event-log.js';

/**
 * The hash of a record's leaf in its audit tree, computed once for all readers of this record in memory. Must not be changed. A check of
 * what is stored reads the record again, and so hashes it again.
 */
export function keptLeafHash(record: LogRecord): Buffer {
  if (record.leaf?.record !== record)
    record.leaf = { record, hash: Buffer.from(hash('sha256', prefixedRecordLeaf(record), 'binary'), 'latin1') };
  return record.leaf.hash;
}

/** The hash of the leaf of a record that was appended, in base64. Undefined if the log did not tell its time. */
export function appendedLeafHash(record: NewRecord, offset: number): string | undefined {
  const { appended, appended_at_ms: timestamp_ms } = record;
  if (appended) return keptLeafHash(appended).toString('base64');
  return timestamp_ms === undefined ? undefined : leafHashText({ ...record, offset, timestamp_ms });
}
