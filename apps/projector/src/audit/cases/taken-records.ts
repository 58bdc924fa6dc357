import type { EventLog, LogRecord } from '@countersign/event-log';
import { type CoveredRange, callRecord, isOfCalls, isRequest, type ReadCalls, readCalls } from '@countersign/evidence';

/** More records than this are not kept until an entry covers them, but read again. */
const KEPT_MAX = 50_000;

/** Call records of one partition, and the requests among them, from one offset to another. */
interface Taken extends ReadCalls {
  from: number;
  to: number;
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
      if (isRequest(record)) taken.requests.push(record);
      taken.to = record.offset + 1;
    }
  }

  /** The records of a range; those below it are forgotten. */
  async of({ topic, partition, from, to }: CoveredRange): Promise<ReadCalls> {
    const taken = this.partitions.get(`${topic}/${partition}`);
    if (!taken || taken.from > from || taken.to < to) return readCalls(this.log, { topic, partition, from, to });
    const [calls, later] = split(taken.calls, to);
    const [requests, laterRequests] = split(taken.requests, to);
    this.kept -= calls.length;
    Object.assign(taken, { from: to, calls: later, requests: laterRequests });
    const isIn = ({ offset }: { offset: number }) => offset >= from;
    return { calls: calls.filter(isIn), requests: requests.filter(isIn) };
  }
}

/** The items below an offset, and the others. */
function split<T extends { offset: number }>(items: readonly T[], to: number): [T[], T[]] {
  const at = items.findIndex(({ offset }) => offset >= to);
  return at < 0 ? [[...items], []] : [items.slice(0, at), items.slice(at)];
}
