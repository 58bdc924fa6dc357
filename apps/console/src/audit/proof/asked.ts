import type { Bundle } from '@countersign/verifier';
import { strictBase64 } from '@countersign/verifier';
import { AvroCursor } from '@countersign/verifier/avro/avro-cursor';
import type { ShownRecord } from './record-steps.js';
import { failed, open, proven, type Step, skipped } from './step.js';

/** What was asked of the server: a true proof of something else is no answer. */
export type Asked =
  | { kind: 'call' | 'case'; id: string; tenant_id: string }
  | { kind: 'event'; id: string }
  | { kind: 'record'; topic: string; partition: number; offset: number };

/** A caller's own name of a case, which the server resolves. */
const OWN_REFERENCE = 'ext:';
const TITLE = 'What you asked for';
/** Format byte and schema id. */
const HEADER_BYTES = 5;

/** The same step, where one before it failed. */
export const notReached = (): Step => skipped('asked', TITLE);

export function askedBundle({ subject, tenant_id }: Bundle, asked: Extract<Asked, { kind: 'call' | 'case' }>): Step {
  if (asked.kind === 'case' && asked.id.startsWith(OWN_REFERENCE) && 'case_id' in subject && tenant_id === asked.tenant_id)
    return open('asked', TITLE, `The server took your reference for case ${subject.case_id}: compare that id.`);
  const own = asked.kind === 'call' ? { call_id: asked.id } : { case_id: asked.id };
  const is_own = tenant_id === asked.tenant_id && JSON.stringify(subject) === JSON.stringify(own);
  return is_own
    ? proven('asked', TITLE, `It is the evidence of the ${asked.kind} that you named, and of your tenant.`)
    : failed('asked', TITLE, `The server sent evidence of something else than the ${asked.kind} that you named.`);
}

export function askedRecord(record: ShownRecord, asked: Extract<Asked, { kind: 'event' | 'record' }>): Step {
  if (asked.kind === 'event')
    return eventIdOf(record) === asked.id
      ? proven('asked', TITLE, 'The bytes of the record begin with the id of the event that you named.')
      : failed('asked', TITLE, 'The server sent the record of another event than the one that you named.');
  const { topic, partition, offset } = asked;
  return record.topic === topic && record.partition === partition && record.offset === offset
    ? proven('asked', TITLE, 'The record is the one at the position that you named.')
    : failed('asked', TITLE, `The server sent the record at another position than ${topic}/${partition}/${offset}.`);
}

/** The id is the first field of the first field of every event. */
function eventIdOf({ value }: ShownRecord): string | undefined {
  try {
    return new AvroCursor(strictBase64(value), HEADER_BYTES).string();
  } catch {
    return undefined;
  }
}
