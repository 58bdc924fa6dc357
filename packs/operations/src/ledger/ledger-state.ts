import { marksIn } from '../hermes/attempt-mark.js';
import type { Kind } from '../hermes/port.js';

/** A record of the ledger; its fields have the names that agents use. */
export interface LedgerRecord {
  status: string;
  reference: string;
  fields: Record<string, unknown>;
}

/** One line of the journal: what a write left of a record. */
export interface Entry {
  /** Epoch ms. */
  at_ms: number;
  /** The key of the attempt that wrote it; absent: a person. */
  key?: string;
  kind: Kind;
  id: string;
  record: LedgerRecord;
}

/** The records that a new ledger begins with. */
export type OpeningRecords = Partial<Record<Kind, Record<string, LedgerRecord>>>;

/** The state of a ledger: its journal folded over the opening records. */
export class LedgerState {
  private readonly kinds = new Map<Kind, Map<string, LedgerRecord>>();
  private readonly writes = new Map<string, { kind: Kind; id: string }>();
  private readonly added = new Map<Kind, number>();
  /** Marks of the references, which people may edit. */
  private readonly references = new Map<string, string>();

  constructor(opening: OpeningRecords) {
    for (const [kind, records] of Object.entries(opening))
      for (const [id, record] of Object.entries(records)) this.put(kind as Kind, id, record);
  }

  fold({ key, kind, id, record }: Entry): void {
    const is_new = !this.of(kind).has(id);
    this.put(kind, id, record);
    if (is_new) this.added.set(kind, this.addedTo(kind) + 1);
    else if (key !== undefined) this.writes.set(key, { kind, id });
  }

  of(kind: Kind): ReadonlyMap<string, LedgerRecord> {
    return this.kinds.get(kind) ?? new Map();
  }

  /** How many records of a kind came after the opening records; no record is ever removed. */
  addedTo(kind: Kind): number {
    return this.added.get(kind) ?? 0;
  }

  /** The record that an attempt changed; one that it created carries its mark. */
  writtenBy(key: string): { kind: Kind; id: string } | undefined {
    return this.writes.get(key);
  }

  /** The id of the record of a kind whose reference has this mark. */
  marked(kind: Kind, mark: string): string | undefined {
    return this.references.get(`${kind} ${mark}`);
  }

  private put(kind: Kind, id: string, record: LedgerRecord): void {
    const records = this.kinds.get(kind) ?? new Map<string, LedgerRecord>();
    this.kinds.set(kind, records);
    for (const mark of marksIn(records.get(id)?.reference ?? '')) this.references.delete(`${kind} ${mark}`);
    for (const mark of marksIn(record.reference)) this.references.set(`${kind} ${mark}`, id);
    records.set(id, record);
  }
}
