import { laneTopic, parseCallId, parseTopic, peekMeta, timeOfId } from '@countersign/contracts';
import type { EventLog, LogRecord } from '@countersign/event-log';
import type { BatchDecoder } from '@countersign/event-log/transport/batch-decoder';
import { isRequest } from './call-records.js';
import type { CallRecord, CallRequest, CaseOfCall, CasesOfCalls } from './case-parts.js';
import { RecentMap } from './recent-map.js';

/** The requests of this many calls are kept, and at most twice as many. A call whose request was forgotten is looked up on the log. */
const CALLS_KEPT = 25_000;
const PAGE_RECORDS = 500;
/** A request is on the log within this time of the time in its call_id, first tried and at most. */
const SEARCHED_MS = [2_000, 60_000];

const NONE: CaseOfCall = { kind: 'none' };
const LATER: CaseOfCall = { kind: 'later' };

/** The cases of calls, from their requests on the log. */
export class RequestsOnLog implements CasesOfCalls {
  /** null: the request is not on the log. */
  private readonly known = new RecentMap<CallRequest | null>(CALLS_KEPT);

  constructor(
    private readonly log: Pick<EventLog, 'read' | 'since' | 'partitions'>,
    private readonly decoder: BatchDecoder,
    /** The offset up to which the entry that is counted covers a partition. */
    private readonly coveredEnd: (topic: string, partition: number) => number,
  ) {}

  of({ topic, call_id, request }: CallRecord): CaseOfCall | Promise<CaseOfCall> {
    const known = request ?? this.known.get(call_id);
    return known === undefined ? this.find(topic, call_id).then((found) => this.answer(found)) : this.answer(known);
  }

  private answer(request: CallRequest | null): CaseOfCall {
    if (!request || request.of.kind === 'none') return NONE;
    // What is covered once stays covered.
    request.isCovered ||= request.offset < this.coveredEnd(request.topic, request.partition);
    return request.isCovered ? request.of : LATER;
  }

  /** The request of this call, if it is known. */
  knownOf(call_id: string): CallRequest | undefined {
    return this.known.get(call_id) ?? undefined;
  }

  /** Notes the requests among these records. */
  async note(records: readonly LogRecord[]): Promise<void> {
    const requests = records.filter(isRequest);
    if (requests.length === 0) return;
    await this.decoder.learn(requests);
    for (const record of requests) this.noteReadable(record);
  }

  /** Notes one request at once, and returns the first one of its call. Undefined if this process does not know its schema yet: `note` learns it. */
  noteReadable(record: LogRecord): CallRequest | undefined {
    const at = this.decoder.once(record);
    if (at?.event_type !== 'tool_call_requested' || at.event.meta.call_id === null) return undefined;
    const { meta, call } = at.event;
    const { topic, partition, offset } = record;
    const known = this.knownOf(meta.call_id as string);
    // The first request of a call decides, as everywhere.
    if (known && known.offset <= offset) return known;
    const of: CaseOfCall = call.case_id === null ? NONE : { kind: 'case', case_id: call.case_id };
    const request = { of, topic, partition, offset, isCovered: false };
    this.known.set(meta.call_id as string, request);
    return request;
  }

  private async find(of: string, call_id: string): Promise<CallRequest | null> {
    const place = parseCallId(call_id);
    const topic = laneTopic('tool-call-requested', parseTopic(of).lane);
    if (place && place.partition < this.log.partitions(topic)) {
      const time_ms = timeOfId(place.uuid);
      for (const searched_ms of SEARCHED_MS) {
        const found = await this.search(call_id, { topic, partition: place.partition }, time_ms, searched_ms);
        if (found) return found;
      }
    }
    this.known.set(call_id, null);
    return null;
  }

  private async search(
    call_id: string,
    { topic, partition }: Pick<CallRequest, 'topic' | 'partition'>,
    time_ms: number,
    searched_ms: number,
  ): Promise<CallRequest | null> {
    for (let from = await this.log.since(topic, partition, time_ms - searched_ms); ; ) {
      const page = await this.log.read(topic, partition, from, PAGE_RECORDS);
      const last = page.at(-1);
      if (!last) return null;
      if (page.some(({ value }) => peekMeta(value)?.call_id === call_id)) await this.note(page);
      const found = this.known.get(call_id) ?? null;
      if (found || last.timestamp_ms > time_ms + searched_ms) return found;
      from = last.offset + 1;
    }
  }
}
