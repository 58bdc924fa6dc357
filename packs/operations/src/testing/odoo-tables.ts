import { FIELDS, LINKS, MANY } from './odoo-schema.js';

export type Row = Record<string, unknown> & { id: number };
export type Named = Record<string, unknown>;

/** An error of Odoo, with its status and its name. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly error: string,
    message: string,
  ) {
    super(message);
  }
}

/** The records of the fixture by model, with Odoo's search. */
export class OdooTables {
  readonly rows: Record<string, Map<number, Row>> = Object.fromEntries(Object.keys(FIELDS).map((model) => [model, new Map()]));
  private last = 0;

  add(model: string, values: Named, id = 10_000 + ++this.last): number {
    this.of(model).set(id, { ...values, id });
    return id;
  }

  of(model: string): Map<number, Row> {
    const rows = this.rows[model];
    if (!rows) throw new Refused(404, 'werkzeug.exceptions.NotFound', `the model ${model} does not exist`);
    return rows;
  }

  row(model: string, id: number): Row {
    const row = this.of(model).get(id);
    if (!row) throw new Refused(404, 'odoo.exceptions.MissingError', 'Record does not exist or has been deleted.');
    return row;
  }

  clear(): void {
    for (const rows of Object.values(this.rows)) rows.clear();
    this.last = 0;
  }

  checkFields(model: string, names: readonly string[]): void {
    this.of(model);
    const odd = names.find((name) => !FIELDS[model]?.includes(name));
    if (odd) throw new Refused(422, 'builtins.ValueError', `Invalid field '${odd}' on model '${model}'`);
  }

  /** What `search_read` answers. */
  search(model: string, { domain = [], fields = [], limit = 80, order }: Named): Row[] {
    this.checkFields(model, fields as string[]);
    if (order !== 'id asc') throw new Refused(422, 'builtins.ValueError', 'pages need an order');
    const matching = [...this.of(model).values()].filter((row) => this.matches(model, row, domain as unknown[]));
    const shown = matching.sort((a, b) => a.id - b.id).slice(0, limit as number);
    return shown.map((row) => Object.fromEntries(['id', ...(fields as string[])].map((name) => [name, this.shown(row, name)])) as Row);
  }

  /** A domain in prefix notation, of which only `|` is known. */
  private matches(model: string, row: Row, domain: readonly unknown[]): boolean {
    const left = [...domain];
    const next = (): boolean => {
      const term = left.shift();
      if (term !== '|') return this.holds(model, row, term as [string, string, unknown]);
      const [first, second] = [next(), next()];
      return first || second;
    };
    const all: boolean[] = [];
    while (left.length > 0) all.push(next());
    return all.every(Boolean);
  }

  private holds(model: string, row: Row, [path, operator, value]: [string, string, unknown]): boolean {
    if (LINKS[path.split('.').at(-1) as string] && operator === '=' && typeof value !== 'number')
      throw new Refused(422, 'builtins.ValueError', `${path} is compared with a name`);
    return this.valuesAt(model, row, path.split('.')).some((found) => compared(found, operator, value));
  }

  /** The values at a path through links. */
  private valuesAt(model: string, row: Row, [name = '', ...rest]: string[]): unknown[] {
    if (name !== 'id') this.checkFields(model, [name]);
    if (rest.length === 0) return [row[name]];
    const linked = LINKS[name];
    if (!linked) throw new Refused(422, 'builtins.ValueError', `${name} of ${model} links to nothing`);
    const ids = [row[name] ?? []].flat() as number[];
    return ids.flatMap((id) => this.valuesAt(linked, this.row(linked, id), rest));
  }

  private shown(row: Row, name: string): unknown {
    const value = row[name];
    if (MANY.includes(name)) return value ?? [];
    const model = LINKS[name];
    if (!model || !value) return value ?? false;
    const linked = this.rows[model]?.get(Number(value));
    return [value, String(linked?.complete_name ?? linked?.name ?? `name of ${String(value)}`)];
  }
}

function compared(found: unknown, operator: string, value: unknown): boolean {
  const text = String(found ?? '');
  switch (operator) {
    case '=':
      return found === value;
    case '<':
      return typeof value === 'number' ? Number(found) < value : text !== '' && text < String(value);
    case '>':
      return Number(found) > Number(value);
    case 'in':
      return (value as unknown[]).includes(found);
    case 'like':
      return text.includes(String(value));
    case 'ilike':
      return text.toLowerCase().includes(String(value).toLowerCase());
    case '=like':
      return text.startsWith(String(value).replace(/%$/, '').replaceAll(/\\(.)/g, '$1'));
    default:
      throw new Refused(422, 'builtins.ValueError', `the operator ${operator} is not shown`);
  }
}
