import { type CallTopic, laneTopic } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';
import type { EventLog, LogBatch, LogRecord, Recorded, RunningSubscription, TopicOffset } from '@countersign/event-log';
import { BatchDecoder } from '@countersign/event-log/transport/batch-decoder';
import { peekCallId } from './peek.js';
import type { WatchedCalls } from './watched-calls.js';

const FOLLOWED: readonly CallTopic[] = ['policy-decided', 'approval-granted', 'tool-executed'];

/** If hints deliver results ahead of the log (Redis), reading them serves only lost hints, so the read may be delayed. */
const MAX_DELAY_MS = 50;

/** The call id of a record; taken from the decoded event if another reader in this process has decoded it. */
function callIdOf({ decoded, value }: LogRecord): string | null | undefined {
  return decoded === undefined ? peekCallId(value) : (decoded as Recorded).event.meta.call_id;
}

/** Feeds durable rulings, approvals and results of its lanes to the watched calls; decodes only records of watched calls. */
export class WatchedCallsFollower {
  private running: RunningSubscription | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly decoder: BatchDecoder,
    private readonly watchedCalls: WatchedCalls,
    private readonly has_hints = false,
  ) {}

  topics(lanes: readonly string[]): string[] {
    return lanes.flatMap((lane) => FOLLOWED.map((topic) => laneTopic(topic, lane)));
  }

  /** Resolves once the follower has caught up from its start position. */
  async start(lanes: readonly string[], from: 'head' | readonly TopicOffset[]): Promise<void> {
    this.running = await this.log.follow({
      topics: this.topics(lanes),
      visibility: 'durable',
      batch_records_max: 500,
      ...(this.has_hints ? { max_delay_ms: MAX_DELAY_MS, delayed_topics: lanes.map((lane) => laneTopic('tool-executed', lane)) } : {}),
      from,
      onBatch: (batch) => this.take(batch),
    });
    await this.running.caughtUp();
  }

  async close(): Promise<void> {
    await this.running?.close();
  }

  private async take(batch: LogBatch): Promise<void> {
    const watched = batch.records.filter((record) => {
      const callId = callIdOf(record);
      return typeof callId === 'string' && this.watchedCalls.has(callId);
    });
    if (watched.length === 0) return;
    const { events } = await this.decoder.decode(watched);
    for (const event of events) this.watchedCalls.apply(event as PlacedEvent);
  }
}
