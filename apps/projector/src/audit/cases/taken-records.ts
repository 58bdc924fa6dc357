import { callTopics, parseTopic, peekMeta } from '@countersign/contracts';
import type { EventLog, LogRecord } from '@countersign/event-log';
import type { CallRecord } from '@countersign/evidence';
import { offsetOf, recordHash, type TreeHead } from '@countersign/proofs';

/** More records than this are not kept until an entry covers them, but read again. */
const KEPT_MAX = 50_000;
const PAGE_RECORDS = 500;

/** Call records of one partition, and the requests among them, from one offset to another. */
interface Taken {
  from: number;
  to: number;
  calls: CallRecord[];
  requests: LogRecord[];
}

/** What an entry covers first of a tree: offsets [from, to). */
export interface CoveredRange {
  topic: string;
  partition: number;
  from: number;
  to: number;
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

/** Keeps the records of calls that a signer has read, until an entry covers them. What is not kept is read from the log. */
export class TakenRecords {
  private readonly partitions = new Map<string, Taken>();
  private kept = 0;

  constructor(private readonly log: Pick<EventLog, 'read' | 'first'>) {}

  /** Takes consecutive records of a partition; `leaves`: the hashes of their leaves. */
  take(records: readonly LogRecord[], leaves: readonly Buffer[]): void {
    const [first] = records;
    if (!first || !isOfCalls(first.topic)) return;
    const name = `${first.topic}/${first.partition}`;
    let taken = this.partitions.get(name);
    if (!taken || taken.to !== first.offset || this.kept > KEPT_MAX) {
      this.kept -= taken?.calls.length ?? 0;
      taken = { from: first.offset, to: first.offset, calls: [], requests: [] };
      this.partitions.set(name, taken);
    }
    for (const [at, record] of records.entries()) {
      const call = callRecord(record, leaves[at] as Buffer);
      if (call) taken.calls.push(call);
      if (call) this.kept++;
      if (record.headers.event_type === 'tool_call_requested') taken.requests.push(record);
      taken.to = record.offset + 1;
    }
  }

  /** The records of a range; those below it are forgotten. */
  async of({ topic, partition, from, to }: CoveredRange): Promise<Pick<Taken, 'calls' | 'requests'>> {
    const taken = this.partitions.get(`${topic}/${partition}`);
    if (!taken || taken.from > from || taken.to < to) return this.read({ topic, partition, from, to });
    const [calls, later] = split(taken.calls, to);
    const [requests, laterRequests] = split(taken.requests, to);
    this.kept -= calls.length;
    Object.assign(taken, { from: to, calls: later, requests: laterRequests });
    const isIn = ({ offset }: { offset: number }) => offset >= from;
    return { calls: calls.filter(isIn), requests: requests.filter(isIn) };
  }

  private async read({ topic, partition, from, to }: CoveredRange): Promise<Pick<Taken, 'calls' | 'requests'>> {
    const calls: CallRecord[] = [];
    const requests: LogRecord[] = [];
    for (let at = Math.max(from, await this.log.first(topic, partition)); at < to; ) {
      const page = await this.log.read(topic, partition, at, Math.min(PAGE_RECORDS, to - at));
      if (page.length === 0) break;
      for (const record of page) {
        const call = callRecord(record);
        if (call) calls.push(call);
        if (record.headers.event_type === 'tool_call_requested') requests.push(record);
      }
      at = (page.at(-1) as LogRecord).offset + 1;
    }
    return { calls, requests };
  }
}

function callRecord(record: LogRecord, leaf?: Buffer): CallRecord | undefined {
  const meta = peekMeta(record.value);
  if (!meta || meta.call_id === null) return undefined;
  const { topic, partition, offset } = record;
  return { topic, partition, offset, leaf: leaf ?? recordHash(record), tenant_id: meta.tenant_id, call_id: meta.call_id };
}

/** The items below an offset, and the others. */
function split<T extends { offset: number }>(items: readonly T[], to: number): [T[], T[]] {
  const at = items.findIndex(({ offset }) => offset >= to);
  return at < 0 ? [[...items], []] : [items.slice(0, at), items.slice(at)];
}
