import { unmarked } from '../hermes/attempt-mark.js';
import type { ErpRecord, Kind, Values } from '../hermes/port.js';
import type { OdooApi } from './odoo-api.js';
import { kindOf, pageOf, plain } from './odoo-values.js';

/** Reads get a limit of time of their own: a write that is given up must still be looked for. */
const READ_MS = 10_000;

/** Records of Odoo as Hermes has them. */
export class OdooRecords {
  constructor(
    private readonly api: OdooApi,
    private readonly url: URL,
  ) {}

  /** Records of a model as Odoo answers them, ordered by id. */
  search(model: string, domain: readonly unknown[], fields: readonly string[], limit: number): Promise<Values[]> {
    return this.api.call(model, 'search_read', { domain, fields, limit, order: 'id asc' }, AbortSignal.timeout(READ_MS));
  }

  raw(kind: Kind, domain: readonly unknown[], limit: number): Promise<Values[]> {
    const { model, only = [], fields, lines } = kindOf(kind);
    return this.search(model, [...only, ...domain], lines ? [...fields, lines.field] : fields, limit);
  }

  async find(kind: Kind, domain: readonly unknown[], limit: number): Promise<ErpRecord[]> {
    return this.shown(kind, await this.raw(kind, domain, limit));
  }

  /** Records with their lines, which are records of another model. */
  async shown(kind: Kind, records: readonly Values[]): Promise<ErpRecord[]> {
    const { lines } = kindOf(kind);
    if (!lines || records.length === 0) return records.map((record) => this.one(kind, record, undefined));
    const ids = records.flatMap((record) => record[lines.field] as number[]);
    const found = await this.search(lines.model, [['id', 'in', ids]], lines.fields, ids.length);
    const by_id = new Map(found.map((line) => [line.id, plain(line)]));
    const linesOf = (record: Values) => (record[lines.field] as number[]).map((id) => by_id.get(id) ?? {});
    return records.map((record) => this.one(kind, record, linesOf(record)));
  }

  private one(kind: Kind, record: Values, of_lines: Values[] | undefined): ErpRecord {
    const { model, reference, states = {}, status: own, lines } = kindOf(kind);
    const { id, state, active, ...fields } = plain(record);
    const known = state === undefined ? (active === false ? 'archived' : 'active') : (states[String(state)] ?? String(state));
    const counted = of_lines && lines ? { line_quantities: of_lines.map((line) => Number(line[lines.quantity])) } : {};
    const shown = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== reference));
    return {
      id: String(id),
      status: own?.(record) ?? known,
      reference: unmarked(String((reference && fields[reference]) || '')),
      external_url: pageOf(this.url, model, id),
      ...counted,
      fields: of_lines && lines ? { ...shown, [lines.field]: of_lines } : shown,
    };
  }
}
