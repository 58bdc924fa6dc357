import { lateEnd } from '../../execution/evidence.js';
import type { CallEvent } from '../../execution/life/events.js';
import { afterTakeover } from '../../execution/orphan.js';
import type { Recovery } from '../../execution/result.js';
import { digest8, type Execution, type ExecutionState } from '../../execution/row.js';
import type { Seeded } from './seeded.js';

export const DIGEST = 'c'.repeat(64);

/** Planted faults that the model must detect. The executor once had each of them, except the first. */
export const faults = [
  'counts_too_early',
  'starts_under_another_lease',
  'leaves_tombstones',
  'forgets_tombstones',
  'forgets_the_next_revision',
  'forgets_joiners',
  'gives_up_what_it_sent',
] as const;
export type Fault = (typeof faults)[number];

/** A call, as in its ruling. */
export interface Ruling {
  call_id: string;
  revision: number;
  key: string;
  write: boolean;
}

/** A record of tool-executed, with the process that wrote it. */
export type Entry = { by: object | undefined; call_id: string } & (
  | { kind: 'started'; epoch: number }
  | { kind: 'executed' | 'in_doubt'; epoch: number; state: ExecutionState }
  | { kind: 'deduplicated'; of: string }
  | { kind: 'rejudged'; revision: number }
);

type End = Extract<Entry, { kind: 'executed' | 'in_doubt' | 'deduplicated' }>;
type Row = Execution & { key: string; source: number };

/** A claimed call, and the position of its ruling. */
interface ClaimedRow {
  attempt: number;
  state: 'running' | 'released';
  source: number;
}

/** The state that all executors share, exact and atomic: rulings, the log, the rows, the fenced epochs and the external effects. */
export class World {
  readonly rulings: Ruling[] = [];
  readonly log: Entry[] = [];
  readonly rows: Row[] = [];
  readonly effects = new Map<string, number>();
  private readonly acted = new Set<string>();
  readonly fenced = new Set<number>();
  /** Effects in transit. */
  readonly in_flight: (() => void)[] = [];
  /** Positions of acknowledged rulings. */
  readonly covered = new Set<number>();
  private epochs = 0;

  constructor(
    readonly random: Seeded,
    readonly recovery: Recovery,
    private readonly fault: Fault | undefined,
  ) {}

  planted(fault: Fault): boolean {
    return this.fault === fault;
  }

  nextEpoch(): number {
    return ++this.epochs;
  }

  newest(call_id: string): Ruling {
    return this.rulings.findLast((ruling) => ruling.call_id === call_id) as Ruling;
  }

  rowsOf(key: string): Row[] {
    return this.rows.filter((row) => row.key === key).sort((a, b) => a.attempt - b.attempt);
  }

  /** Like the claim statement: refuses fenced epochs, and allows one row per attempt. */
  claim(epoch: number, { call_id, key }: Ruling, { attempt, state, source }: ClaimedRow): boolean {
    const mine = this.rowsOf(key);
    const before = mine.find((row) => row.attempt === attempt - 1);
    if (this.fenced.has(epoch) || mine.some((row) => row.attempt === attempt || row.call_id === call_id)) return false;
    if (attempt > 1 && before?.state !== 'released') return false;
    const none = { end_offset: null, ended_at_ms: null, stands: null };
    this.rows.push({ key, attempt, call_id, epoch, state, digest8: digest8(DIGEST), source, ...none });
    return true;
  }

  /** Appends a record to the log and folds an end into its row by the rule of late ends. */
  append(entry: Entry): void {
    const started_epoch = this.startedEpoch(entry.call_id);
    this.log.push(entry);
    if (entry.kind === 'rejudged') this.ruleAgain(entry.call_id, entry.revision);
    if (entry.kind !== 'executed' && entry.kind !== 'in_doubt') return;
    const row = this.rows.find((one) => one.call_id === entry.call_id);
    if (!row) return;
    const waits_for_its_end = row.state === 'released' && row.end_offset === null;
    if (!waits_for_its_end && lateEnd({ state: row.state, started_epoch }, entry).kind === 'nothing') return;
    row.state = entry.state;
    row.end_offset = this.log.length - 1;
  }

  startedEpoch(call_id: string): number | null {
    const epochs = this.log.flatMap((entry) => (entry.kind === 'started' && entry.call_id === call_id ? [entry.epoch] : []));
    return epochs.length === 0 ? null : Math.max(...epochs);
  }

  /** Position of the newest start on the log; -1 if there is none. */
  startOf(call_id: string): number {
    return this.log.findLastIndex((entry) => entry.kind === 'started' && entry.call_id === call_id);
  }

  /** Policy decides again and allows the call. */
  private ruleAgain(call_id: string, revision: number): void {
    const before = this.newest(call_id);
    if (before.revision === revision && !this.endOf(call_id)) this.rulings.push({ ...before, revision: revision + 1 });
  }

  /** True if readers count the end at this position: not if another start followed a lost lease. */
  counts(at: number): boolean {
    const entry = this.log[at] as Entry;
    if (entry.kind !== 'executed' && entry.kind !== 'in_doubt') return false;
    const starts = this.log.slice(0, at).flatMap((one) => (one.kind === 'started' && one.call_id === entry.call_id ? [one.epoch] : []));
    return lateEnd({ state: 'running', started_epoch: starts.length === 0 ? null : Math.max(...starts) }, entry).kind === 'end';
  }

  /** The first end of a call that counts. */
  endOf(call_id: string): End | undefined {
    const at = this.log.findIndex((entry, place) => entry.call_id === call_id && (entry.kind === 'deduplicated' || this.counts(place)));
    return this.log[at] as End | undefined;
  }

  orphans(): Row[] {
    return this.rows.filter((row) => row.state === 'running' && this.fenced.has(row.epoch));
  }

  /** Sets a running row to the end of its call, which ended without the row. */
  foldEnd(call_id: string): void {
    const row = this.rows.find((one) => one.call_id === call_id && one.state === 'running');
    if (!row) return;
    const end = this.endOf(call_id);
    row.state = end && 'state' in end ? end.state : 'released';
    row.end_offset = this.log.indexOf(end as Entry);
  }

  /** The decision after a takeover of the row. */
  takenOver({ state }: Row, started: boolean): { event: CallEvent; state?: ExecutionState } {
    const decision = afterTakeover({ state, started, ended: false, recovery: this.recovery, resend_before_ms: 1, now_ms: 0 });
    if (decision.kind === 'reconcile') return { event: 'adopted_to_settle' };
    return decision.kind === 'in_doubt' ? { event: 'adopted_to_end', state: 'in_doubt' } : { event: 'adopted_to_start' };
  }

  /** A system that takes keys gets another one for each attempt. */
  happen(key: string, attempt: number): void {
    const sent = `${key}/${attempt}`;
    if (this.recovery.takes_key && this.acted.has(sent)) return;
    this.acted.add(sent);
    this.effects.set(key, (this.effects.get(key) ?? 0) + 1);
  }
}
