import { ToolError } from '@countersign/tool-kit';
import { withoutAgentWords } from '../hermes/agent-words.js';
import { addedMark, marked, markOf, marksIn, unmarked } from '../hermes/attempt-mark.js';
import type { Action, Attempt, ErpRecord, Found, Hermes, Kind, Page, Query, ReadBack, Values } from '../hermes/port.js';
import { announcementLost, checkNotAborted, conflict, notFound, refused } from '../hermes/refusal.js';
import type { OdooApi } from './odoo-api.js';
import { type OdooKind, odooKinds } from './odoo-kinds.js';

const READ_MS = 10_000;
const OPEN = ['draft', 'sent'];

/** Hermes on Odoo 19. Never run against an Odoo: its documents and a fixture that refuses what they do not show are all it was tested on. */
export class OdooConnector implements Hermes {
  /** Nothing in the API tells how long the database lets a transaction run. */
  readonly absence_is_final = false;

  constructor(
    private readonly api: OdooApi,
    private readonly url: URL,
  ) {}

  async find(kind: Kind, query: Query, { limit, cursor }: Page): Promise<Found> {
    if (query.overdue_at !== undefined) throw notSupported(kind, 'lists what is overdue');
    const domain: unknown[] = Object.entries(query.where).map(([name, value]) => [name, '=', value]);
    if (query.open) domain.push(['state', 'in', OPEN]);
    if (query.text !== undefined) domain.push(['name', 'ilike', query.text]);
    if (cursor !== undefined) domain.push(['id', '>', numberOf(cursor)]);
    const records = await this.records(kind, domain, limit + 1);
    const items = records.slice(0, limit);
    return { items, next_cursor: records.length > limit ? (items.at(-1)?.id as string) : null };
  }

  async read(kind: Kind, id: string): Promise<ErpRecord | undefined> {
    return (await this.records(kind, [['id', '=', numberOf(id)]], 1))[0];
  }

  async create(kind: Kind, { reference = '', ...values }: Values, attempt: Attempt): Promise<ErpRecord> {
    const { model, reference: field } = kindOf(kind);
    if (!field) throw notSupported(kind, 'creates');
    await this.checkPartner(kind, values.partner_id);
    checkNotAborted(attempt);
    const vals_list = [{ ...withoutAgentWords(values), [field]: marked(String(reference), attempt.key) }];
    const [id] = await this.api.call<number[]>(model, 'create', { vals_list }, attempt.signal);
    return this.existing(kind, String(id));
  }

  async update(kind: Kind, id: string, { line, quantity, ...values }: Values, attempt: Attempt): Promise<ErpRecord> {
    const { model, lines } = kindOf(kind);
    const record = await this.rawOf(kind, id);
    const changed =
      line === undefined || !lines
        ? {}
        : { [lines.field]: [[1, lineOf(record, lines.field, Number(line)), { [lines.quantity]: quantity }]] };
    checkNotAborted(attempt);
    const vals = { ...values, ...changed, ...this.withMark(kind, record, attempt.key) };
    await this.api.call(model, 'write', { ids: [numberOf(id)], vals }, attempt.signal);
    return this.existing(kind, id);
  }

  /** Announces the attempt in the reference, and then calls the one method of the action. */
  async act(kind: Kind, id: string, action: Action, attempt: Attempt): Promise<ErpRecord> {
    const { model, methods } = kindOf(kind);
    const method = methods?.[action];
    if (!method) throw notSupported(kind, action);
    const vals = this.withMark(kind, await this.rawOf(kind, id), attempt.key);
    checkNotAborted(attempt);
    const ids = [numberOf(id)];
    await this.api.call(model, 'write', { ids, vals }, attempt.signal).catch(announcementLost);
    await this.api.call(model, method, { ids }, attempt.signal);
    return this.existing(kind, id);
  }

  async readBack(kind: Kind, key: string): Promise<ReadBack> {
    const { reference } = kindOf(kind);
    if (!reference) throw notSupported(kind, 'writes');
    const mark = markOf(key);
    const found = await this.raw(kind, [[reference, 'like', `cs:${mark}`]], 10);
    const own = found.filter((record) => marksIn(String(record[reference] || '')).includes(mark));
    if (own.length > 1) return { kind: 'unknown', why: `${own.length} records carry the mark of this attempt` };
    const [record] = await this.shown(kind, own);
    return record ? { kind: 'present', record } : { kind: 'absent' };
  }

  private async checkPartner(kind: Kind, partner_id: unknown): Promise<void> {
    const role = kind === 'purchase_order' ? 'supplier' : 'customer';
    const found = await this.raw(role, [['id', '=', numberOf(String(partner_id))]], 1);
    if (found.length === 0) throw notFound(`/${role}`, String(partner_id));
  }

  private withMark(kind: Kind, record: Values, key: string): Values {
    const { reference } = kindOf(kind);
    return reference ? { [reference]: addedMark(String(record[reference] || ''), key) } : {};
  }

  private async existing(kind: Kind, id: string): Promise<ErpRecord> {
    const record = await this.read(kind, id);
    if (!record) throw new ToolError('PROVIDER_ERROR', `Odoo does not show ${id} after the write`, { class: 'server' });
    return record;
  }

  private async rawOf(kind: Kind, id: string): Promise<Values> {
    const [record] = await this.raw(kind, [['id', '=', numberOf(id)]], 1);
    if (!record) throw notFound('/id', id);
    return record;
  }

  private async records(kind: Kind, domain: unknown[], limit: number): Promise<ErpRecord[]> {
    return this.shown(kind, await this.raw(kind, domain, limit));
  }

  private raw(kind: Kind, domain: unknown[], limit: number): Promise<Values[]> {
    const { model, fields, lines } = kindOf(kind);
    const named = { domain, fields: lines ? [...fields, lines.field] : fields, limit, order: 'id asc' };
    return this.api.call(model, 'search_read', named, AbortSignal.timeout(READ_MS));
  }

  /** Records with their lines, which are records of another model. */
  private async shown(kind: Kind, records: readonly Values[]): Promise<ErpRecord[]> {
    const { lines } = kindOf(kind);
    if (!lines || records.length === 0) return records.map((record) => this.one(kind, record, undefined));
    const ids = records.flatMap((record) => record[lines.field] as number[]);
    const named = { domain: [['id', 'in', ids]], fields: lines.fields, limit: ids.length, order: 'id asc' };
    const found = await this.api.call<Values[]>(lines.model, 'search_read', named, AbortSignal.timeout(READ_MS));
    const by_id = new Map(found.map((line) => [line.id, plain(line)]));
    return records.map((record) =>
      this.one(
        kind,
        record,
        (record[lines.field] as number[]).map((id) => by_id.get(id) ?? {}),
      ),
    );
  }

  private one(kind: Kind, record: Values, of_lines: Values[] | undefined): ErpRecord {
    const { model, reference, states = {}, lines } = kindOf(kind);
    const { id, state, active, ...fields } = plain(record);
    const status = state === undefined ? (active === false ? 'archived' : 'active') : (states[String(state)] ?? String(state));
    const counted = of_lines && lines ? { line_quantities: of_lines.map((line) => Number(line[lines.quantity])) } : {};
    const shown = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== reference));
    return {
      id: String(id),
      status,
      reference: unmarked(String((reference && fields[reference]) || '')),
      external_url: `${this.url.origin}/odoo/${model}/${String(id)}`,
      ...counted,
      fields: of_lines && lines ? { ...shown, [lines.field]: of_lines } : shown,
    };
  }
}

/** Odoo writes `false` for what has no value, and a pair of id and name for a link. */
function plain(record: Values): Record<string, unknown> {
  const valued = Object.entries(record).filter(([name, value]) => value !== false || name === 'active');
  return Object.fromEntries(valued.map(([name, value]) => [name, isLink(value) ? value[0] : value]));
}

const isLink = (value: unknown): value is [number, string] => Array.isArray(value) && value.length === 2 && typeof value[1] === 'string';

function kindOf(kind: Kind): OdooKind {
  const known = odooKinds[kind];
  if (!known) throw notSupported(kind, 'reads');
  return known;
}

function notSupported(kind: Kind, what: string): ToolError {
  return conflict('not_supported', `the connector of Odoo has no ${kind} that it ${what}`);
}

/** Ids of Odoo are numbers; another id names nothing. */
const numberOf = (id: string): number => (/^\d{1,9}$/.test(id) ? Number(id) : -1);

function lineOf(record: Values, field: string, line: number): number {
  const ids = (record[field] ?? []) as number[];
  const id = ids[line - 1];
  if (id === undefined) throw refused('/line', 'not_found', `${line} does not exist: the order has ${ids.length} lines`);
  return id;
}
