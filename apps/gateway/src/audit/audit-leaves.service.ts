import { type Caller, Refusal } from '@countersign/calls';
import { peekMeta } from '@countersign/contracts';
import type { LogRecord } from '@countersign/event-log';
import { recordHash } from '@countersign/proofs';
import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import type { leavesAnswer } from './audit-answers.schemas.js';
import type { LeavesQuery } from './audit-queries.schemas.js';
import { AuditReads } from './audit-reads.js';
import { PlacedRecords } from './placed-records.js';

const RECORDS_MAX = 500;
const BYTES_MAX = 4 * 1024 * 1024;

/** The leaves of a partition in order, as a monitor reads them: the caller's records whole, of others the hash that every tile has. */
@Injectable()
export class AuditLeavesService {
  constructor(
    private readonly records: PlacedRecords,
    private readonly reads: AuditReads,
  ) {}

  /** Records the read if it gives records. */
  async page({ tenant_id, principal }: Caller, query: LeavesQuery): Promise<z.infer<typeof leavesAnswer> | Refusal> {
    const { topic, partition, first } = query;
    const page = await this.records.page({ topic, partition, offset: first }, RECORDS_MAX);
    if (!page) return new Refusal('not-found', `there is no partition ${topic}/${partition}`, { reason: 'audit_record_not_found' });
    const leaves: z.infer<typeof leavesAnswer>['leaves'] = [];
    const own: Buffer[] = [];
    let bytes = 0;
    for (const record of page.records) {
      const isOwn = peekMeta(record.value)?.tenant_id === tenant_id;
      leaves.push({ leaf: recordHash(record).toString('base64'), ...(isOwn ? { record: wireRecord(record) } : {}) });
      if (!isOwn) continue;
      own.push(record.value);
      bytes += record.value.length;
      if (bytes > BYTES_MAX) break;
    }
    if (own.length > 0) await this.reads.count({ tenant_id, by: principal }, { what: 'leaves', query, items: own.length });
    return { topic, partition, first: page.first, leaves, schemas: this.records.schemasOf(own) };
  }
}

function wireRecord({ timestamp_ms, key, headers, value }: LogRecord) {
  return { timestamp_ms, key, headers, value: value.toString('base64') };
}
