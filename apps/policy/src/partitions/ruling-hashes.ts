import type { AnyEvent, Meta } from '@countersign/contracts';
import type { RulingState } from '@countersign/domain';
import { appendedLeafHash, type NewRecord } from '@countersign/event-log';

/** A record that was read, with the hash of its leaf. */
export interface ReadCause {
  event: { meta: Pick<Meta, 'event_id'> };
  readonly leaf_hash?: string | undefined;
}

const PRUNE_FROM = 1_000;

const waits = ({ event_type, event }: AnyEvent): boolean =>
  event_type === 'policy_decided' && (event.effect === 'require_approval' || event.effect === 'defer');

/**
 * The leaf hashes of own rulings whose calls wait, by event_id: later records of policy (an expiry, a reminder, a new decision) follow
 * from them, and policy does not read its own records. Holds about as many as calls wait.
 */
export class RulingHashes {
  private limit = PRUNE_FROM;

  constructor(
    private readonly state: RulingState,
    private readonly hashes = new Map<string, string>(),
  ) {}

  /** The hash of a cause: the record just read, or a ruling. Undefined: the ruling is not on the log yet, or the log did not tell its time. */
  of(event_id: string, read?: ReadCause): string | undefined {
    return read?.event.meta.event_id === event_id ? read.leaf_hash : this.hashes.get(event_id);
  }

  /** Notes a ruling that this process appended. */
  written(event: AnyEvent, record: NewRecord, offset: number): void {
    const leaf_hash = waits(event) ? appendedLeafHash(record, offset) : undefined;
    if (leaf_hash !== undefined) this.note(event, leaf_hash);
  }

  /** Notes a ruling that was read again. */
  read(event: AnyEvent & { leaf_hash?: string | undefined }): void {
    if (waits(event) && event.leaf_hash !== undefined) this.note(event, event.leaf_hash);
  }

  /** Those of calls that still wait, for a snapshot. */
  waiting(): [event_id: string, leaf_hash: string][] {
    this.prune();
    return [...this.hashes];
  }

  private note({ event }: AnyEvent, leaf_hash: string): void {
    this.hashes.set(event.meta.event_id, leaf_hash);
    if (this.hashes.size > this.limit) this.prune();
  }

  private prune(): void {
    const live = new Set<string>();
    for (const { members } of this.state.approvals.values()) for (const { meta } of members) live.add(meta.event_id);
    for (const { meta } of this.state.limits.deferred.values()) live.add(meta.event_id);
    for (const event_id of this.hashes.keys()) if (!live.has(event_id)) this.hashes.delete(event_id);
    this.limit = Math.max(PRUNE_FROM, 2 * this.hashes.size);
  }
}
