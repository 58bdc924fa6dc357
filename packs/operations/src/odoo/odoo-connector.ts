import { withoutAgentWords } from '../hermes/agent-words.js';
import { addedMark, marked, markOf, marksIn } from '../hermes/attempt-mark.js';
import type { Action, Attempt, ErpRecord, Found, Hermes, Kind, Page, Query, ReadBack, Values } from '../hermes/port.js';
import { afterWrite, announcementLost, checkNotAborted, notFound } from '../hermes/refusal.js';
import type { OdooApi } from './odoo-api.js';
import { postBill } from './odoo-bills.js';
import { checkLinks } from './odoo-checks.js';
import { OdooRecords } from './odoo-records.js';
import { OdooStock } from './odoo-stock.js';
import { kindOf, lineOf, notShown, notSupported, numberOf } from './odoo-values.js';

const OPEN = ['draft', 'sent'];
const UNPAID = ['not_paid', 'partial'];

/** Hermes on Odoo 19. Never run against an Odoo: its documents and a fixture that refuses what they do not show are all it was tested on. */
export class OdooConnector implements Hermes {
  /** Nothing in the API tells how long the database lets a transaction run. */
  readonly absence_is_final = false;
  private readonly records: OdooRecords;
  private readonly stock: OdooStock;

  constructor(
    private readonly api: OdooApi,
    url: URL,
  ) {
    this.records = new OdooRecords(api, url);
    this.stock = new OdooStock(api, this.records, url);
  }

  async find(kind: Kind, query: Query, page: Page): Promise<Found> {
    const of_stock = this.stock.find(kind, query, page);
    if (of_stock) return of_stock;
    const { limit, cursor } = page;
    const domain: unknown[] = Object.entries(query.where).map(([name, value]) => [name, '=', value]);
    if (query.overdue_at !== undefined) domain.push(...overdue(kind, query.overdue_at));
    if (query.open) domain.push(['state', 'in', OPEN]);
    if (query.text !== undefined) domain.push(...containing(kind, query.text));
    if (cursor !== undefined) domain.push(['id', '>', numberOf(cursor)]);
    const records = await this.records.find(kind, domain, limit + 1);
    const items = records.slice(0, limit);
    return { items, next_cursor: records.length > limit ? (items.at(-1)?.id as string) : null };
  }

  async read(kind: Kind, id: string): Promise<ErpRecord | undefined> {
    if (kind === 'stock') return this.stock.read(id);
    return (await this.records.find(kind, [['id', '=', numberOf(id)]], 1))[0];
  }

  async create(kind: Kind, { reference = '', ...values }: Values, attempt: Attempt): Promise<ErpRecord> {
    if (kind === 'vendor_bill')
      return this.existing(kind, String(await postBill(this.api, this.records, { ...values, reference }, attempt)));
    const { model, reference: field, methods } = kindOf(kind);
    if (!field || !methods) throw notSupported(kind, 'creates');
    await checkLinks(this.records, kind, values);
    checkNotAborted(attempt);
    const vals_list = [{ ...withoutAgentWords(values), [field]: marked(String(reference), attempt.key) }];
    const [id] = await this.api.call<number[]>(model, 'create', { vals_list }, attempt.signal);
    return this.existing(kind, String(id));
  }

  async update(kind: Kind, id: string, values: Values, attempt: Attempt): Promise<ErpRecord> {
    if (kind === 'stock') return this.stock.count(id, values, attempt);
    const { line, quantity, ...others } = values;
    const { model, lines, reference } = kindOf(kind);
    if (!reference) throw notSupported(kind, 'changes');
    const record = await this.rawOf(kind, id);
    const changed =
      line === undefined || !lines
        ? {}
        : { [lines.field]: [[1, lineOf(record, lines.field, Number(line)), { [lines.quantity]: quantity }]] };
    checkNotAborted(attempt);
    const vals = { ...others, ...changed, [reference]: addedMark(String(record[reference] || ''), attempt.key) };
    await this.api.call(model, 'write', { ids: [numberOf(id)], vals }, attempt.signal);
    return this.existing(kind, id);
  }

  /** Announces the attempt in the reference, and then calls the one method of the action. */
  async act(kind: Kind, id: string, action: Action, attempt: Attempt): Promise<ErpRecord> {
    const { model, methods, reference } = kindOf(kind);
    if (!methods?.[action] || !reference) throw notSupported(kind, action);
    const record = await this.rawOf(kind, id);
    const method = await this.methodOf(kind, record, methods[action]);
    if (!method) throw notSupported(kind, action);
    const vals = { [reference]: addedMark(String(record[reference] || ''), attempt.key) };
    checkNotAborted(attempt);
    const ids = [numberOf(id)];
    await this.api.call(model, 'write', { ids, vals }, attempt.signal).catch(announcementLost);
    checkNotAborted(attempt);
    await this.api.call(model, method, { ids }, attempt.signal);
    return this.existing(kind, id);
  }

  async readBack(kind: Kind, key: string): Promise<ReadBack> {
    if (kind === 'stock') return this.stock.readBack(key);
    const { reference } = kindOf(kind);
    if (!reference) throw notSupported(kind, 'writes');
    const mark = markOf(key);
    const found = await this.records.raw(kind, [[reference, 'like', `cs:${mark}`]], 10);
    const own = found.filter((record) => marksIn(String(record[reference] || '')).includes(mark));
    if (own.length > 1) return { kind: 'unknown', why: `${own.length} records carry the mark of this attempt` };
    const [record] = await this.records.shown(kind, own);
    return record ? { kind: 'present', record } : { kind: 'absent' };
  }

  private async methodOf(kind: Kind, record: Values, named: string | Readonly<Record<string, string>>): Promise<string | undefined> {
    if (typeof named === 'string') return named;
    const [shown] = await this.records.shown(kind, [record]);
    return named[shown?.status ?? ''] ?? named['*'];
  }

  /** The record that was written. */
  private async existing(kind: Kind, id: string): Promise<ErpRecord> {
    const record = await this.read(kind, id).catch(afterWrite);
    if (!record) throw notShown(id);
    return record;
  }

  private async rawOf(kind: Kind, id: string): Promise<Values> {
    const [record] = await this.records.raw(kind, [['id', '=', numberOf(id)]], 1);
    if (!record) throw notFound('/id', id);
    return record;
  }
}

/** Posted invoices that were due before a day and are not wholly paid. */
function overdue(kind: Kind, day: string): unknown[] {
  if (kind !== 'invoice') throw notSupported(kind, 'lists as overdue');
  return [
    ['state', '=', 'posted'],
    ['payment_state', 'in', UNPAID],
    ['invoice_date_due', '<', day],
  ];
}

/** Records whose name or code contains a text. */
const containing = (kind: Kind, text: string): unknown[] =>
  kind === 'product' ? ['|', ['name', 'ilike', text], ['default_code', 'ilike', text]] : [['name', 'ilike', text]];
