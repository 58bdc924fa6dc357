import type { EventLog, LogRecord } from '@countersign/event-log';
import { BatchDecoder } from '@countersign/event-log';
import { ProofReader } from '@countersign/evidence';
import type { AppDeps, Evidence } from '@countersign/process';
import { HASH_BYTES, type Tile } from '@countersign/proofs';

/** What the audit routes read: records of a tenant, tiles, and the proofs over both. */
export class AuditRoom {
  readonly proofs: ProofReader;
  private readonly log: EventLog;
  private readonly decoder: BatchDecoder;

  constructor(
    { log, codec, schemas }: Pick<AppDeps, 'log' | 'codec' | 'schemas'>,
    private readonly evidence: Evidence,
    private readonly topics: ReadonlySet<string>,
  ) {
    this.log = log;
    this.decoder = new BatchDecoder(codec, schemas);
    this.proofs = new ProofReader(evidence.checkpoints, evidence.tiles, evidence.signer.verifier);
  }

  /** The public key of the checkpoints (C2SP signed-note). */
  get vkey(): string {
    return this.evidence.signer.verifier.vkey;
  }

  /** The record at a place, where it is one of this tenant; undefined for any other, and where there is none. */
  async record(tenant_id: string, at: { topic: string; partition: number; offset: number }): Promise<LogRecord | undefined> {
    if (!this.topics.has(at.topic) || at.partition >= this.log.partitions(at.topic)) return undefined;
    if (at.offset >= (await this.log.head(at.topic, at.partition))) return undefined;
    const [record] = await this.log.read(at.topic, at.partition, at.offset, 1);
    if (!record || record.offset !== at.offset) return undefined;
    const { events } = await this.decoder.decode([record]);
    return events[0]?.event.meta.tenant_id === tenant_id ? record : undefined;
  }

  /** The hashes of a tile; undefined where it does not have as many. */
  async tile(tree: string, { level, index, width }: Tile): Promise<Buffer | undefined> {
    const hashes = await this.evidence.tiles.read(tree, level, index);
    return hashes.length >= width * HASH_BYTES ? hashes.subarray(0, width * HASH_BYTES) : undefined;
  }
}
