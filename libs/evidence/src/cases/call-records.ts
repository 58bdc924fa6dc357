import { callTopics, parseTopic, peekMeta } from '@countersign/contracts';
import type { EventLog, LogRecord, Recorded } from '@countersign/event-log';
import { keptLeafHash } from '@countersign/event-log/kept-leaf';
import { offsetOf, type TreeHead } from '@countersign/proofs';
import type { CallRecord } from './case-parts.js';

const PAGE_RECORDS = 500;

/** What an entry covers first of a tree: offsets [from, to). */
export interface CoveredRange {
  topic: string;
  partition: number;
  from: number;
  to: number;
}

/** Records of calls, and the requests among them. */
export interface ReadCalls {
  calls: CallRecord[];
  requests: LogRecord[];
}

/** Whether the records of a topic may belong to calls. */
export function isOfCalls(topic: string): boolean {
  return (callTopics as readonly string[]).includes(parseTopic(topic).topic);
}

/** The range by which a tree grew. */
export function grownBy(head: TreeHead, size_before: number): CoveredRange {
  const { topic, partition, size } = head;
  return { topic, partition, from: offsetOf(head, size_before), to: offsetOf(head, size) };
}

/** A record as one of a call; undefined if it is of none. */
export function callRecord(record: LogRecord, leaf?: Buffer): CallRecord | undefined {
  const meta = (record.decoded as Recorded | undefined)?.event.meta ?? peekMeta(record.value);
  if (!meta || meta.call_id === null) return undefined;
  const { topic, partition, offset } = record;
  return {
    topic,
    partition,
    offset,
    leaf: leaf ?? keptLeafHash(record),
    tenant_id: meta.tenant_id,
    call_id: meta.call_id,
    request: undefined,
  };
}

export const isRequest = ({ headers }: LogRecord): boolean => headers.event_type === 'tool_call_requested';

/** Reads a range of the log, as far as it was not dropped. */
export async function readCalls(log: Pick<EventLog, 'read' | 'first'>, { topic, partition, from, to }: CoveredRange): Promise<ReadCalls> {
  const found: ReadCalls = { calls: [], requests: [] };
  for (let at = Math.max(from, await log.first(topic, partition)); at < to; ) {
    const page = await log.read(topic, partition, at, Math.min(PAGE_RECORDS, to - at));
    if (page.length === 0) break;
    for (const record of page) {
      const call = callRecord(record);
      if (call) found.calls.push(call);
      if (isRequest(record)) found.requests.push(record);
    }
    at = (page.at(-1) as LogRecord).offset + 1;
  }
  return found;
}
