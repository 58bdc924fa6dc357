import { ToolError } from '@countersign/tool-kit';
import { marked, markOf, unmarked } from '../hermes/attempt-mark.js';
import type { Action, Attempt, ErpRecord, Found, Hermes, Kind, Page, Query, ReadBack, Values } from '../hermes/port.js';
import { checkNotAborted, conflict, notFound } from '../hermes/refusal.js';
import type { Journal } from './journal.js';
import type { LedgerRecord, LedgerState } from './ledger-state.js';
import { type Lies, liesIn } from './lies.js';
import { matching } from './matching.js';
import { stateAfter } from './moves.js';
import { newRecords } from './new-records.js';
import { asOnlyWriter } from './one-writer.js';
import { updated } from './updated-record.js';

/** The first number of a new record, above those of the opening records. */
const FIRST_NUMBER = 2001;

/** What one write does: the id and the record that it leaves. Undefined: it changes nothing. */
type Change = { id: string; record: LedgerRecord } | undefined;

/** Hermes on a ledger of JSON lines in a folder of the tenant. Needs nothing but the disk. */
export class LedgerConnector implements Hermes {
  /** Nothing is written after the deadline of an attempt. */
  readonly absence_is_final = true;

  constructor(
    private readonly folder: string,
    private readonly journal: Journal,
  ) {}

  async find(kind: Kind, query: Query, { limit, cursor }: Page): Promise<Found> {
    const records = [...(await this.journal.current()).of(kind)].filter(([, record]) => matching(record, query));
    const ids = new Map(records.filter(([id]) => cursor === undefined || id > cursor).sort(([a], [b]) => (a < b ? -1 : 1)));
    const items = [...ids].slice(0, limit).map(([id, record]) => shown(kind, id, record));
    return { items, next_cursor: ids.size > limit ? (items.at(-1)?.id as string) : null };
  }

  async read(kind: Kind, id: string): Promise<ErpRecord | undefined> {
    const record = (await this.journal.current()).of(kind).get(id);
    return record && shown(kind, id, record);
  }

  create(kind: Kind, values: Values, attempt: Attempt): Promise<ErpRecord> {
    const plan = newRecords[kind];
    if (!plan) throw conflict('not_created_here', `the ledger creates no ${kind}`);
    return this.write(kind, attempt, (state) => {
      const known = state.marked(kind, markOf(attempt.key));
      if (known !== undefined) return undefined;
      const { reference = '', ...fields } = plan.complete?.(values, state) ?? values;
      const record = { status: plan.status, reference: marked(String(reference), attempt.key), fields };
      return { id: `${plan.prefix}_${FIRST_NUMBER + state.addedTo(kind)}`, record };
    });
  }

  update(kind: Kind, id: string, values: Values, attempt: Attempt): Promise<ErpRecord> {
    return this.write(kind, attempt, (state) => {
      const before = existing(state, kind, id);
      return { id, record: updated(kind, before, values) };
    });
  }

  act(kind: Kind, id: string, action: Action, attempt: Attempt): Promise<ErpRecord> {
    return this.write(kind, attempt, (state, lies) => {
      const before = existing(state, kind, id);
      const status = stateAfter(kind, action, before.status);
      if (status !== undefined) return { id, record: { ...before, status } };
      if (action === 'cancel' && lies.cancel_does_nothing) return { id, record: before };
      throw conflict('state_forbids', `${id} is ${before.status}: the ledger does not ${action} it`, { status: before.status });
    });
  }

  async readBack(kind: Kind, key: string): Promise<ReadBack> {
    const state = await this.journal.current();
    const id = state.marked(kind, markOf(key)) ?? state.writtenBy(key)?.id;
    const record = id === undefined ? undefined : state.of(kind).get(id);
    return record ? { kind: 'present', record: shown(kind, id as string, record) } : { kind: 'absent' };
  }

  /** Decides on the state that is on the disk, appends, and answers with the record. */
  private write(kind: Kind, attempt: Attempt, decide: (state: LedgerState, lies: Lies) => Change): Promise<ErpRecord> {
    return asOnlyWriter(this.folder, attempt, async () => {
      const lies = await liesIn(this.folder);
      const state = await this.journal.current();
      const change = decide(state, lies);
      checkNotAborted(attempt);
      if (change) await this.journal.append({ at_ms: Date.now(), key: attempt.key, kind, ...change });
      if (lies.cut_after_commit === kind) throw new ToolError('NETWORK_ERROR', 'the connection to the ledger was lost');
      const id = change?.id ?? (state.marked(kind, markOf(attempt.key)) as string);
      return shown(kind, id, change?.record ?? (state.of(kind).get(id) as LedgerRecord));
    });
  }
}

function existing(state: LedgerState, kind: Kind, id: string): LedgerRecord {
  const record = state.of(kind).get(id);
  if (!record) throw notFound('/id', id);
  return record;
}

function shown(kind: Kind, id: string, { status, reference, fields }: LedgerRecord): ErpRecord {
  const lines = fields.line_items as { quantity: number }[] | undefined;
  const of_lines = lines && { line_quantities: lines.map(({ quantity }) => quantity) };
  return { id, status, reference: unmarked(reference), external_url: `ledger:${kind}/${id}`, ...of_lines, fields };
}
