import { ToolError } from '@countersign/tool-kit';
import { withoutAgentWords } from '../hermes/agent-words.js';
import { marked, unmarked } from '../hermes/attempt-mark.js';
import type { Action, Attempt, ErpRecord, Found, Hermes, Kind, Page, Query, ReadBack, Values } from '../hermes/port.js';
import { afterWrite, announcementLost, checkNotAborted, conflict, notFound, refused } from '../hermes/refusal.js';
import { postBill } from './tryton-bills.js';
import { checkedParty } from './tryton-checks.js';
import { countOf, countStock } from './tryton-counts.js';
import { escaped, numberOf, pageOf } from './tryton-ids.js';
import { type TrytonKind, trytonKinds } from './tryton-kinds.js';
import { carries, markedBy, markedText, withMark } from './tryton-marks.js';
import type { TrytonModels } from './tryton-model.js';
import { TrytonStock } from './tryton-stock.js';
import { dateOf } from './tryton-values.js';

const OPEN = ['draft', 'quotation'];

/** Hermes on Tryton 7.0. The key of an attempt is a mark in the field `reference`: Tryton knows no idempotency key. */
export class TrytonConnector implements Hermes {
  private readonly stock: TrytonStock;

  constructor(
    private readonly models: TrytonModels,
    private readonly url: URL,
    private readonly company: number,
    readonly absence_is_final: boolean,
  ) {
    this.stock = new TrytonStock(models, url);
  }

  async find(kind: Kind, query: Query, page: Page): Promise<Found> {
    const of_moves = this.stock.find(kind, query, page);
    if (of_moves) return of_moves;
    const { limit, cursor } = page;
    const domain: unknown[] = Object.entries(query.where).map(([name, value]) => [name, '=', value]);
    if (query.overdue_at !== undefined) domain.push(...overdue(kind, query.overdue_at));
    if (query.open) domain.push(['state', 'in', OPEN]);
    if (query.text !== undefined) domain.push(containing(query.text));
    if (cursor !== undefined) domain.push(['id', '>', numberOf(cursor)]);
    const records = await this.records(kind, domain, limit + 1);
    const items = records.slice(0, limit);
    return { items, next_cursor: records.length > limit ? (items.at(-1)?.id as string) : null };
  }

  async read(kind: Kind, id: string): Promise<ErpRecord | undefined> {
    if (kind === 'stock') return this.stock.read(id);
    const [record] = await this.records(kind, [['id', '=', numberOf(id)]], 1);
    return record;
  }

  async create(kind: Kind, { reference = '', ...values }: Values, attempt: Attempt): Promise<ErpRecord> {
    if (kind === 'vendor_bill') return this.existing(kind, String(await postBill(this.models, { ...values, reference }, attempt)));
    const { model, addresses = [], actions } = kindOf(kind);
    if (!actions) throw notSupported(kind, 'creates');
    const party = await checkedParty(this.models, kind, values, attempt.signal);
    const address = Object.fromEntries(addresses.map((name) => [name, party?.addresses[0]]));
    checkNotAborted(attempt);
    const record = { company: this.company, ...address, ...withoutAgentWords(values), reference: marked(String(reference), attempt.key) };
    return this.existing(kind, String(await this.models.create(model, record, attempt.signal)));
  }

  async update(kind: Kind, id: string, values: Values, attempt: Attempt): Promise<ErpRecord> {
    if (kind === 'stock') await countStock(this.models, this.company, id, values, attempt);
    else await this.change(kind, id, values, attempt);
    return this.existing(kind, id);
  }

  private async change(kind: Kind, id: string, { line, quantity, ...values }: Values, attempt: Attempt): Promise<void> {
    const known = kindOf(kind);
    if (!known.marks) throw notSupported(kind, 'changes');
    const [record] = await this.raw(kind, [['id', '=', numberOf(id)]], 1);
    if (!record) throw notFound('/id', id);
    const changed = line === undefined ? {} : { lines: [['write', [lineOf(record, Number(line))], { quantity }]] };
    checkNotAborted(attempt);
    const written = { ...values, ...changed, ...withMark(known, record, attempt.key) };
    await this.models.write(known.model, numberOf(id), written, attempt.signal);
  }

  /** Announces the attempt in the reference, and then presses the buttons: Tryton has no transaction over both. */
  async act(kind: Kind, id: string, action: Action, attempt: Attempt): Promise<ErpRecord> {
    const known = kindOf(kind);
    const { model, actions } = known;
    const [record] = await this.raw(kind, [['id', '=', numberOf(id)]], 1);
    if (!record) throw notFound('/id', id);
    const buttons = actions?.[action]?.[String(record.state)] ?? actions?.[action]?.['*'];
    if (!buttons) throw notSupported(kind, action);
    checkNotAborted(attempt);
    await this.models.write(model, numberOf(id), withMark(known, record, attempt.key), attempt.signal).catch(announcementLost);
    const [first, ...others] = buttons;
    if (first) await this.models.press(model, numberOf(id), first, attempt.signal);
    for (const button of others) await this.models.press(model, numberOf(id), button, attempt.signal).catch(afterWrite);
    return this.existing(kind, id);
  }

  async readBack(kind: Kind, key: string): Promise<ReadBack> {
    if (kind === 'stock') return this.countedBy(key);
    const known = kindOf(kind);
    if (!known.marks) throw notSupported(kind, 'writes');
    const own = (await this.raw(kind, markedBy(known, key), 10)).filter((record) => carries(known, record, key));
    if (own.length > 1) return { kind: 'unknown', why: `${own.length} records carry the mark of this attempt` };
    return own[0] ? { kind: 'present', record: this.shown(kind, own[0]) } : { kind: 'absent' };
  }

  /** A count that is announced and not confirmed may still be confirmed by a person. */
  private async countedBy(key: string): Promise<ReadBack> {
    const count = await countOf(this.models, key);
    if (!count || count.state === 'cancelled') return { kind: 'absent' };
    if (count.state !== 'done') return { kind: 'unknown', why: `the inventory ${count.inventory} of this attempt is ${count.state}` };
    const record = await this.existing('stock', `${count.place}.${count.product}`);
    return { kind: 'present', record };
  }

  /** The record that was written. */
  private async existing(kind: Kind, id: string): Promise<ErpRecord> {
    const record = await this.read(kind, id).catch(afterWrite);
    if (!record) throw new ToolError('PROVIDER_ERROR', `Tryton does not show ${id} after the write`, { class: 'server' });
    return record;
  }

  private async records(kind: Kind, domain: unknown[], limit: number): Promise<ErpRecord[]> {
    return (await this.raw(kind, domain, limit)).map((record) => this.shown(kind, record));
  }

  /** Reads get their own limit of time: a write that is given up must still be looked for. */
  private raw(kind: Kind, domain: unknown[], limit: number): Promise<Values[]> {
    const { model, fields, only = [] } = kindOf(kind);
    return this.models.search(model, [...only, ...domain], fields, limit, AbortSignal.timeout(10_000));
  }

  private shown(kind: Kind, record: Values): ErpRecord {
    const { id, state, active, reference: _reference, 'lines.': lines, 'lines_to_pay.': due, 'identifiers.': _codes, ...fields } = record;
    const known = kindOf(kind);
    const { model, states = {} } = known;
    const status = state === undefined ? (active === false ? 'archived' : 'active') : (states[String(state)] ?? String(state));
    const of_lines = Array.isArray(lines) ? { line_quantities: lines.map(({ quantity }) => Number(quantity)) } : {};
    const external_url = pageOf(this.url, model, id);
    return {
      id: String(id),
      status,
      reference: unmarked(markedText(known, record)),
      external_url,
      ...of_lines,
      fields: valued({ ...fields, lines, due_date: firstDue(due) }),
    };
  }
}

/** What has no value is absent, as in the shapes of agents. */
const valued = (fields: Values): Values =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));

function kindOf(kind: Kind): TrytonKind {
  const known = trytonKinds[kind];
  if (!known) throw notSupported(kind, 'reads');
  return known;
}

function notSupported(kind: Kind, what: string): ToolError {
  return conflict('not_supported', `the connector of Tryton has no ${kind} that it ${what}`);
}

/** Records whose name or code contains a text: Tryton's own search by name finds codes that begin with it. */
function containing(text: string): unknown[] {
  const pattern = `%${escaped(text)}%`;
  return ['OR', ['rec_name', 'ilike', pattern], ['code', 'ilike', pattern]];
}

/** Customer invoices with a line that was due before a day and is not reconciled with a payment. */
function overdue(kind: Kind, day: string): unknown[] {
  if (kind !== 'invoice') throw notSupported(kind, 'lists as overdue');
  const late = [
    ['account.type.receivable', '=', true],
    ['reconciliation', '=', null],
    ['maturity_date', '<', dateOf(day)],
  ];
  return [
    ['state', '=', 'posted'],
    ['move', 'where', [['lines', 'where', late]]],
  ];
}

/** The first day on which a line of an invoice is due. */
function firstDue(lines: unknown): string | undefined {
  const days = Array.isArray(lines) ? lines.flatMap(({ maturity_date }) => (maturity_date ? [String(maturity_date)] : [])) : [];
  return days.sort()[0];
}

function lineOf(record: Values, line: number): number {
  const lines = (record['lines.'] ?? []) as { id: number }[];
  const found = lines[line - 1];
  if (!found) throw refused('/line', 'not_found', `${line} does not exist: the order has ${lines.length} lines`);
  return found.id;
}
