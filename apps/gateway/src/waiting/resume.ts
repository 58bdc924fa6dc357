import { laneTopic } from '@countersign/contracts';
import { type CallState, evolve, type PlacedEvent, unpackCall } from '@countersign/domain';
import type { BatchDecoder, EventLog, TopicOffset } from '@countersign/event-log';
import {
  type LogPosition,
  owedCallbacks,
  type ProjectionOffset,
  projectionPosition,
  readCall,
  type Store,
  settleCallbacks,
  unfinishedCalls,
} from '@countersign/store';
import type { CallBoard } from './call-board.js';
import type { Callbacks } from './callbacks.js';
import { settledAs } from './is-answer.js';

/** Requests that the views have not folded yet are read from the log, no more than this many a partition. */
const UNFOLDED_MAX = 20_000;
const EVENTS_A_CALL = 4;
const CHUNK = 500;
/** A call that is not on the record so long after its callback was owed never came to be. */
const NEVER_CAME_MS = 86_400_000;

/**
 * What this gateway must know of calls that were in flight before it started: they count for their tenants' caps and
 * their callbacks are owed, also of those that have ended. Read from the views, and from the log above what the views have folded.
 */
export class Resume {
  constructor(
    private readonly parts: { log: EventLog; store: Store; decoder: BatchDecoder },
    private readonly board: CallBoard,
    private readonly callbacks: Callbacks,
  ) {}

  /** @returns where the follower must start so that no end of these calls is missed: 'head' where there are none. */
  async run(lanes: readonly string[], topics: readonly string[]): Promise<'head' | TopicOffset[]> {
    // Positions first: what is folded between the two reads is seen twice, never missed.
    const folded = await projectionPosition(this.parts.store);
    for (const row of await unfinishedCalls(this.parts.store)) this.seat(unpackCall(row.state));
    for (const lane of lanes) await this.unfolded(laneTopic('tool-call-requested', lane), folded);
    for (const owed of await owedCallbacks(this.parts.store)) await this.owed(owed);
    if (this.board.size === 0) return 'head';
    return this.starts(topics, folded);
  }

  /** The newest records of these lanes: a gateway before this one may have answered with any of them. */
  async newest(lanes: readonly string[], topics: readonly string[]): Promise<LogPosition[]> {
    const { log } = this.parts;
    const positions: LogPosition[] = [];
    for (const topic of [...topics, ...lanes.map((lane) => laneTopic('tool-call-requested', lane))])
      for (let partition = 0; partition < log.partitions(topic); partition++) {
        const head = await log.head(topic, partition);
        // Of what was dropped whole nothing is folded any more.
        if (head > 0 && head > (await log.first(topic, partition))) positions.push({ topic, partition, offset: head - 1 });
      }
    return positions;
  }

  private seat(state: CallState): void {
    const { call_id, tenant_id, call } = state;
    if (this.board.has(call_id)) return;
    const owed = call?.callback_url !== null && call?.callback_url !== undefined;
    this.board.admit(call_id, tenant_id, owed ? state : undefined, undefined);
    if (owed) this.callbacks.watch(call_id, tenant_id);
  }

  /** One that ended is told at once: nobody took it, or nobody was there to tell it. */
  private async owed({ call_id, tenant_id, age_ms }: { call_id: string; tenant_id: string; age_ms: number }): Promise<void> {
    if (this.board.has(call_id)) return;
    const row = await readCall(this.parts.store, tenant_id, call_id);
    const state = row && unpackCall(row.state);
    if (!state) {
      if (age_ms > NEVER_CAME_MS) await settleCallbacks(this.parts.store, [call_id]);
    } else if (settledAs(state) === 200) this.callbacks.ended(state);
    else this.seat(state);
  }

  private async unfolded(topic: string, folded: readonly ProjectionOffset[]): Promise<void> {
    const { log, decoder } = this.parts;
    for (let partition = 0; partition < log.partitions(topic); partition++) {
      const head = await log.head(topic, partition);
      const from = Math.max(await log.first(topic, partition), head - UNFOLDED_MAX, nextOffset(folded, topic, partition));
      for (let offset = from; offset < head; ) {
        const records = await log.read(topic, partition, offset, CHUNK);
        const last = records.at(-1);
        if (!last) break;
        for (const event of (await decoder.decode(records)).events)
          if (event.event_type === 'tool_call_requested') this.seat(evolve(undefined, event as PlacedEvent));
        offset = last.offset + 1;
      }
    }
  }

  private async starts(topics: readonly string[], folded: readonly ProjectionOffset[]): Promise<TopicOffset[]> {
    const { log } = this.parts;
    const starts: TopicOffset[] = [];
    for (const topic of topics)
      for (let partition = 0; partition < log.partitions(topic); partition++) {
        const floor = (await log.head(topic, partition)) - EVENTS_A_CALL * UNFOLDED_MAX;
        starts.push({ topic, partition, offset: Math.max(0, floor, nextOffset(folded, topic, partition)) });
      }
    return starts;
  }
}

function nextOffset(folded: readonly ProjectionOffset[], topic: string, partition: number): number {
  return folded.find((row) => row.topic === topic && row.partition === partition)?.next_offset ?? 0;
}
