import { hash } from 'node:crypto';
import { prefixedRecordLeaf, type RecordToCover } from './record-leaf.js';

/** The hash of a record's leaf in its audit tree, in base64: how an event names the record of its cause (`cause_hash` of its meta). */
export function leafHashText(record: RecordToCover): string {
  return hash('sha256', prefixedRecordLeaf(record), 'base64');
}
