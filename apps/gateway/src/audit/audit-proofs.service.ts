import { type Caller, Refusal } from '@countersign/calls';
import { parseTopic } from '@countersign/contracts';
import type { LogRecord } from '@countersign/event-log';
import { ProofReader } from '@countersign/evidence';
import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import type { proofAnswer } from './audit-answers.schemas.js';
import { AuditEventsService } from './audit-events.service.js';
import type { ProofQuery } from './audit-queries.schemas.js';
import { AuditReads } from './audit-reads.js';
import { notCovered, notProven } from './cosigned-only.js';
import { PlacedRecords } from './placed-records.js';

type Proven = Omit<z.infer<typeof proofAnswer>, 'vkey'>;

/** Records and their inclusion proofs. Each proof is verified before it is returned. */
@Injectable()
export class AuditProofsService {
  constructor(
    private readonly proofs: ProofReader,
    private readonly records: PlacedRecords,
    private readonly events: AuditEventsService,
    private readonly reads: AuditReads,
  ) {}

  /** A record of the caller's tenant with its proof. Records the read. */
  async prove({ tenant_id, principal }: Caller, query: ProofQuery): Promise<Proven | Refusal> {
    const record = await this.find(tenant_id, query);
    if (record instanceof Refusal) return record;
    const answer = await this.proofs.prove(record);
    if (answer.kind === 'not_covered') return notCovered();
    if (answer.kind === 'broken') return notProven(`the record cannot be proven: ${answer.reason}`);
    await this.reads.count({ tenant_id, by: principal }, { what: 'proof', query, items: 1 });
    const { topic, partition, offset, timestamp_ms, key, headers, value } = record;
    return {
      record: { topic, partition, offset, timestamp_ms, key, headers, value: value.toString('base64') },
      event_type: headers.event_type,
      stream: parseTopic(topic).topic,
      proof: answer.proof,
    };
  }

  /** Finds the record by its event_id or by its position. */
  private async find(tenant_id: string, { event_id, topic, partition, offset }: ProofQuery): Promise<LogRecord | Refusal> {
    const isPlace = topic !== undefined && partition !== undefined && offset !== undefined;
    const named = [event_id, topic, partition, offset].filter((part) => part !== undefined).length;
    if (named !== (isPlace ? 3 : 1) || (!isPlace && event_id === undefined))
      return new Refusal('invalid-request', 'send event_id, or topic, partition and offset');
    if (!isPlace) return this.events.find(tenant_id, event_id as string);
    const found = await this.records.read(tenant_id, { topic, partition, offset });
    return (
      found ??
      new Refusal('not-found', `your tenant has no record at ${topic}/${partition}/${offset}`, { reason: 'audit_record_not_found' })
    );
  }
}
