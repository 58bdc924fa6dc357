import { laneTopic, parseCallId, parseTopic, peekMeta, timeOfId } from '@countersign/contracts';
import type { EventLog, LogRecord } from '@countersign/event-log';
import type { BatchDecoder } from '@countersign/event-log/transport/batch-decoder';
import { isRequest } from './call-records.js';
import type { CallRecord, CaseOfCall, CasesOfCalls } from './case-parts.js';

/** A call whose request was forgotten is looked up on the log. */
const CALLS_MAX = 50_000;
const PAGE_RECORDS = 500;
/** A request is on the log within this time of the time in its call_id, first tried and at most. */
const SEARCHED_MS = [2_000, 60_000];

interface Request {
  case_id: string | null;
  topic: string;
  partition: number;
  offset: number;
}

/** The cases of calls, from their requests on the log. */
export class RequestsOnLog implements CasesOfCalls {
  private readonly known = new Map<string, Request | undefined>();

  constructor(
    private readonly log: Pick<EventLog, 'read' | 'since' | 'partitions'>,
    private readonly decoder: BatchDecoder,
    /** The offset up to which the entry that is counted covers a partition. */
    private readonly coveredEnd: (topic: string, partition: number) => number,
  ) {}

  of({ topic, call_id }: CallRecord): CaseOfCall | Promise<CaseOfCall> {
    if (this.known.has(call_id)) return this.answer(this.known.get(call_id));
    return this.find(topic, call_id).then((request) => this.answer(request));
  }

  private answer(request: Request | undefined): CaseOfCall {
    if (!request || request.case_id === null) return { kind: 'none' };
    const isCovered = request.offset < this.coveredEnd(request.topic, request.partition);
    return isCovered ? { kind: 'case', case_id: request.case_id } : { kind: 'later' };
  }

  /** Notes the requests among these records. */
  async note(records: readonly LogRecord[]): Promise<void> {
    const requests = records.filter(isRequest);
    if (requests.length === 0) return;
    await this.decoder.learn(requests);
    for (const record of requests) {
      const at = this.decoder.once(record);
      if (at?.event_type !== 'tool_call_requested') continue;
      const { meta, call } = at.event;
      const { topic, partition, offset } = record;
      // The first request of a call decides, as everywhere.
      if (meta.call_id && !this.known.get(meta.call_id)) this.keep(meta.call_id, { case_id: call.case_id, topic, partition, offset });
    }
  }

  private keep(call_id: string, request: Request | undefined): void {
    this.known.delete(call_id);
    this.known.set(call_id, request);
    if (this.known.size <= CALLS_MAX) return;
    for (const oldest of this.known.keys()) {
      this.known.delete(oldest);
      return;
    }
  }

  private async find(of: string, call_id: string): Promise<Request | undefined> {
    const place = parseCallId(call_id);
    const topic = laneTopic('tool-call-requested', parseTopic(of).lane);
    if (place && place.partition < this.log.partitions(topic)) {
      const time_ms = timeOfId(place.uuid);
      for (const searched_ms of SEARCHED_MS) {
        const found = await this.search(call_id, { topic, partition: place.partition }, time_ms, searched_ms);
        if (found) return found;
      }
    }
    this.keep(call_id, undefined);
    return undefined;
  }

  private async search(
    call_id: string,
    { topic, partition }: Pick<Request, 'topic' | 'partition'>,
    time_ms: number,
    searched_ms: number,
  ): Promise<Request | undefined> {
    for (let from = await this.log.since(topic, partition, time_ms - searched_ms); ; ) {
      const page = await this.log.read(topic, partition, from, PAGE_RECORDS);
      const last = page.at(-1);
      if (!last) return undefined;
      if (page.some(({ value }) => peekMeta(value)?.call_id === call_id)) await this.note(page);
      const found = this.known.get(call_id);
      if (found || last.timestamp_ms > time_ms + searched_ms) return found;
      from = last.offset + 1;
    }
  }
}
