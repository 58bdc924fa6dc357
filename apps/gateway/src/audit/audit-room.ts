import { parseCallId } from '@countersign/contracts';
import { tenantOf, terminalStatuses, unpackCall } from '@countersign/domain';
import { BatchDecoder, type EventLog, type LogRecord } from '@countersign/event-log';
import { EntriesReader, ProofReader } from '@countersign/evidence';
import type { AppDeps, Configuration, Evidence } from '@countersign/process';
import { HASH_BYTES, type Tile } from '@countersign/proofs';
import { type CallRow, listCalls, readCall } from '@countersign/store';
import { AuditEvents } from './audit-events.js';
import { AuditExport } from './audit-export.js';
import { AuditReads } from './audit-reads.js';
import { BundleMaker, type CallToBundle, type MadeBundle } from './bundle-maker.js';
import { Refusals } from './refusals.js';

const CALLS_MAX = 500;

type Subject = { call_id: string } | { case_id: string };

/** What the audit routes read: records of a tenant, tiles, and the proofs over both. */
export class AuditRoom {
  readonly proofs: ProofReader;
  readonly entries: EntriesReader;
  readonly events: AuditEvents;
  readonly reads: AuditReads;
  readonly exports: AuditExport;
  private readonly bundles: BundleMaker;
  private readonly log: EventLog;
  private readonly decoder: BatchDecoder;

  constructor(
    private readonly deps: Pick<AppDeps, 'log' | 'codec' | 'schemas' | 'store' | 'clock'>,
    private readonly evidence: Evidence,
    private readonly configuration: Configuration,
    private readonly topics: ReadonlySet<string>,
  ) {
    const { log, codec, schemas } = deps;
    this.log = log;
    this.decoder = new BatchDecoder(codec, schemas);
    this.proofs = new ProofReader(evidence.checkpoints, evidence.tiles, evidence.signer.verifier);
    this.entries = new EntriesReader(evidence.checkpoints, evidence.tiles, evidence.signer.verifier);
    this.events = new AuditEvents(deps, topics, new Refusals(configuration));
    this.reads = new AuditReads(deps);
    const { events, reads } = this;
    this.exports = new AuditExport({ events, reads, checkpoints: evidence.checkpoints, store: deps.store });
    this.bundles = new BundleMaker(deps, evidence, this.proofs);
  }

  /** Says loudly what of the evidence is not whole: proofs of that are refused until it is. */
  async tellFaults(logger: Pick<AppDeps['logger'], 'error'>): Promise<void> {
    const faults = await this.proofs.faults();
    if (faults.length > 0) {
      logger.error(
        { faults },
        'the audit trees are not whole: the projector hashes them anew, or it does not share them with this gateway',
      );
    }
  }

  /** The public key of the checkpoints (C2SP signed-note). */
  get vkey(): string {
    return this.evidence.signer.verifier.vkey;
  }

  /** What witnesses have cosigned. */
  get cosigned(): Evidence['cosigned'] {
    return this.evidence.cosigned;
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

  /** The bundle of a call, or of a case of at most 500 calls; undefined where the tenant has no such call or case. */
  async bundle(tenant_id: string, subject: Subject, isCosigned: boolean): Promise<MadeBundle | 'too_large' | undefined> {
    const cosigned = isCosigned ? await this.evidence.cosigned.newest() : undefined;
    if (isCosigned && !cosigned) return { kind: 'not_covered' };
    const rows = await this.rowsOf(tenant_id, subject);
    if (rows === 'too_large' || rows.length === 0) return rows === 'too_large' ? rows : undefined;
    const lane = tenantOf(this.configuration.state, tenant_id)?.lane;
    return lane === undefined
      ? undefined
      : this.bundles.make(
          tenant_id,
          subject,
          rows.map((row) => callToBundle(row, lane)),
          cosigned,
        );
  }

  private async rowsOf(tenant_id: string, subject: Subject): Promise<CallRow[] | 'too_large'> {
    const { store } = this.deps;
    if ('case_id' in subject) {
      const { items, next_cursor } = await listCalls(store, { tenant_id, case_id: subject.case_id, limit: CALLS_MAX });
      return next_cursor === null ? items.reverse() : 'too_large';
    }
    const row = parseCallId(subject.call_id) ? await readCall(store, tenant_id, subject.call_id) : undefined;
    return row ? [row] : [];
  }
}

function callToBundle({ call_id, requested_at_ms, status, state }: CallRow, lane: string): CallToBundle {
  const { end, approval_end, ruling } = unpackCall(state);
  const isOver = (terminalStatuses as ReadonlySet<string>).has(status);
  const ended_at_ms = isOver ? (end?.at_ms ?? approval_end?.at_ms ?? ruling?.decided_at_ms) : undefined;
  return { call_id, lane, requested_at_ms, ended_at_ms };
}
