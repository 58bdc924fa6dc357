import type { EventLog, LogRecord } from '@countersign/event-log';
import {
  type CallRequest,
  type CoveredRange,
  callRecord,
  isOfCalls,
  isRequest,
  type ReadCalls,
  type RequestsOnLog,
  readCalls,
} from '@countersign/evidence';

/** More records than this are not kept until an entry covers them, but read again. */
const KEPT_MAX = 50_000;

/** Call records of one partition, and the requests among them that are not noted yet, from one offset to another. */
interface Taken extends ReadCalls {
  from: number;
  to: number;
}

/**
 * Keeps the records of calls that a signer has read, until an entry covers them. What is not kept is read from the log. Records of a call
 * without a case are not kept once its request is known.
 */
export class TakenRecords {
  private readonly partitions = new Map<string, Taken>();
  private kept = 0;
  /** All earlier requests are noted, so that those which are taken now can be too. */
  private isLive = false;

  constructor(
    private readonly log: Pick<EventLog, 'read' | 'first'>,
    private readonly requests: RequestsOnLog,
  ) {}

  /** Notes the requests that were taken while earlier entries were gone through, and from now on each request when it is taken. */
  async noteFromNow(): Promise<void> {
    for (const taken of this.partitions.values()) await this.requests.note(taken.requests);
    this.isLive = true;
  }

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
    for (let at = 0; at < records.length; at++) {
      const record = records[at] as LogRecord;
      const call = callRecord(record, leaves[at] as Buffer);
      if (!call) continue;
      call.request = this.requestOf(record, call.call_id);
      if (isRequest(record) && !call.request) taken.requests.push(record);
      if (call.request?.of.kind === 'none') continue;
      taken.calls.push(call);
      this.kept++;
    }
    taken.to = (records.at(-1) as LogRecord).offset + 1;
  }

  private requestOf(record: LogRecord, call_id: string): CallRequest | undefined {
    if (!this.isLive) return undefined;
    return isRequest(record) ? this.requests.noteReadable(record) : this.requests.knownOf(call_id);
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
