import { type ClaimedKey, laneTopic } from '@countersign/contracts';
import type { BatchDecoder, EventLog } from '@countersign/event-log';
import type { Logger } from '@countersign/process';
import type { Arbiter, OrphanRow } from '../arbiter/arbiter.js';
import { jobOf } from '../calls/authorised.js';
import type { Job } from '../calls/job.js';
import type { PersonalDataDecryptor } from '../personal/personal-data-decryptor.js';

/** The call of a row without an owner, as the decision on the log has it; undefined: the decision cannot be read. */
export type OrphanJob = Job | 'not_on_record' | undefined;

/** Reads the calls of rows whose executor lost its lease. */
export class OrphanJobs {
  constructor(
    private readonly arbiter: Pick<Arbiter, 'rowsOf'>,
    private readonly sources: { log: EventLog; decoder: BatchDecoder },
    private readonly decryptor: PersonalDataDecryptor,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** Reads everything that a takeover needs, before it begins: a row that is taken over is not found again. Rows that cannot be read now are absent. */
  async of(rows: readonly OrphanRow[]): Promise<Map<OrphanRow, OrphanJob>> {
    const jobs = new Map<OrphanRow, OrphanJob>();
    for (const row of rows)
      try {
        jobs.set(row, await this.jobOf(row));
      } catch (cause) {
        const { call_id } = row;
        this.logger.warn(
          { event: 'orphan_not_read', call_id, cause: String(cause) },
          'a call without an owner cannot be read now; trying again',
        );
      }
    return jobs;
  }

  private async jobOf(row: OrphanRow): Promise<OrphanJob> {
    const { log, decoder } = this.sources;
    const topic = laneTopic(row.source.topic, row.lane);
    if ((await log.head(topic, row.partition)) <= row.source.offset) return 'not_on_record';
    const records = await log.read(topic, row.partition, row.source.offset, 1);
    const [event] = (await decoder.decode(records.slice(0, 1))).events;
    if (!event) return undefined;
    const job = jobOf(event);
    if (job?.call_id !== row.call_id) return 'not_on_record';
    if (job.call.sealed) job.opened = await this.decryptor.open(job);
    const { secondary_key } = job.authorised;
    if (secondary_key) job.secondary_key = await this.claimedSecondary(secondary_key, row.call_id);
    return job;
  }

  /** The second key of a call with edited inputs, if its row was claimed too. */
  private async claimedSecondary(key: ClaimedKey, call_id: string): Promise<ClaimedKey | null> {
    const rows = (await this.arbiter.rowsOf([key.idempotency_key])).get(key.idempotency_key) ?? [];
    const mine = rows.find((row) => row.call_id === call_id);
    return mine ? { ...key, attempt: mine.attempt } : null;
  }
}
