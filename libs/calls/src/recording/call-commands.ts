import { type CallTopic, type EventCodec, type EventMap, laneTopic, type Meta, nextHlc, uuidv7 } from '@countersign/contracts';
import { type CallState, newestFact } from '@countersign/domain';
import type { Clock } from '@countersign/process';
import type { LogPosition } from '@countersign/store';
import type { CauseHashes } from './cause-hashes.js';
import type { RecordWriter } from './record-writer.js';

/** The commands that the gateway may record for a call. */
interface Commands {
  tool_call_cancel_requested: 'tool-call-requested';
  tool_call_resolve_requested: 'tool-call-requested';
  approval_voted: 'approval-voted';
  approval_viewed: 'approval-voted';
}
export type Command = keyof Commands;

const topics: { readonly [C in Command]: CallTopic } = {
  tool_call_cancel_requested: 'tool-call-requested',
  tool_call_resolve_requested: 'tool-call-requested',
  approval_voted: 'approval-voted',
  approval_viewed: 'approval-voted',
};

/** Records commands and votes of people on the partition of their call. Makes no decisions. */
export class CallCommands {
  constructor(
    private readonly writer: RecordWriter,
    private readonly codec: EventCodec,
    readonly clock: Clock,
    private readonly causes: Pick<CauseHashes, 'of'>,
  ) {}

  /** Resolves with the log position once the record is durable. @throws InfrastructureFault if the log is unavailable. */
  async record<C extends Command>(command: C, state: CallState, fields: Omit<EventMap[C], 'meta'>): Promise<LogPosition> {
    const call = state.call;
    if (!call) throw new Error(`the state of call ${state.call_id} lacks its request`);
    const now_ms = this.clock.now_ms();
    const cause = newestFact(state);
    const meta: Meta = {
      event_id: uuidv7(now_ms),
      tenant_id: state.tenant_id,
      call_id: state.call_id,
      attempt: state.attempt,
      causation_id: cause.event_id,
      correlation_id: state.correlation_id,
      hlc: nextHlc(now_ms, cause.hlc),
      partition: state.partition,
      cause_hash: await this.causes.of(cause, { lane: call.lane, partition: state.partition }),
    };
    const place = { topic: laneTopic(topics[command], call.lane), partition: state.partition };
    const offset = await this.writer.write({
      ...place,
      key: call.idempotency_key,
      value: this.codec.encode(command, { meta, ...fields } as unknown as EventMap[C]),
      headers: { event_type: command },
    });
    return { ...place, offset };
  }
}
