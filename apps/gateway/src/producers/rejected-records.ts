import { firstMeta, sha256Hex } from '@countersign/contracts';
import type { ApiKey } from '@countersign/domain';
import type { LogRecord, NewRecord } from '@countersign/event-log';
import { type AppDeps, securityRecord } from '@countersign/process';
import type { AnswerTopic } from './answer-topic.js';
import { positionOf, type RejectedRecord, shortKeyOf } from './produced-commands.js';

export const CONSUMER = 'gateway-producers';

/**
 * Sets refused records aside: one dead letter each, one security event for those of a kind, and the refusal on the producer's answer topic.
 * A dead letter names the place and the digest of the record and not its bytes: they may be personal data or a user's token, and dead
 * letters are kept. The producer's topic has the bytes until it drops them.
 */
export class RejectedRecords {
  constructor(
    private readonly deps: Pick<AppDeps, 'log' | 'codec' | 'clock'>,
    private readonly answers: Pick<AnswerTopic, 'write'>,
  ) {}

  /** Resolves once all is durable. @throws InfrastructureFault if the log is unavailable: then some may be written twice */
  async put(producer_id: string, owner: ApiKey, rejected: readonly RejectedRecord[]): Promise<void> {
    if (rejected.length === 0) return;
    const letters = rejected.map((one) => this.letter(owner, one));
    await this.deps.log.append([...letters, ...this.securityEvents(owner, rejected)]);
    await this.answers.write(
      [],
      rejected.map(({ record, problem }) => ({ producer_id, record, problem })),
    );
  }

  private letter({ tenant_id }: ApiKey, { record, problem }: RejectedRecord): NewRecord {
    const now_ms = this.deps.clock.now_ms();
    const value = this.deps.codec.encode('record_dead_lettered', {
      meta: firstMeta(tenant_id, now_ms),
      source_topic: record.topic,
      source_partition: record.partition,
      source_offset: record.offset,
      consumer: CONSUMER,
      cause: `${kindOf(problem)}; ${describe(record)}`,
      value: Buffer.alloc(0),
      dead_lettered_at_ms: now_ms,
    });
    return { topic: 'dead-letter', partition: 0, key: shortKeyOf(record), value, headers: { event_type: 'record_dead_lettered' } };
  }

  private securityEvents({ tenant_id, principal }: ApiKey, rejected: readonly RejectedRecord[]): NewRecord[] {
    const recorded_at_ms = this.deps.clock.now_ms();
    const alike = new Map<string, RejectedRecord[]>();
    for (const one of rejected) alike.set(kindOf(one.problem), [...(alike.get(kindOf(one.problem)) ?? []), one]);
    return [...alike].map(([cause, [first, ...others]]) => {
      const { record, problem } = first as RejectedRecord;
      const detail = `${positionOf(record)}: ${cause}`;
      const event = { kind: problem.access ?? 'record_refused', detail, principal, times: 1 + others.length, recorded_at_ms };
      return securityRecord(this.deps.codec, tenant_id, { meta: firstMeta(tenant_id, recorded_at_ms), ...event });
    });
  }
}

/** Our own words only: the detail of a problem may quote the record. */
const kindOf = ({ kind, more: { reason } }: RejectedRecord['problem']): string => (reason === undefined ? kind : `${kind} (${reason})`);

const describe = ({ value }: LogRecord): string => `${value.length} bytes, SHA-256 ${sha256Hex(value)}`;
