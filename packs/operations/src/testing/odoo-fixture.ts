import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** The arguments that Odoo's documents show for each method; `context` always. */
const ARGUMENTS: Record<string, readonly string[]> = {
  create: ['vals_list'],
  write: ['ids', 'vals'],
  search_read: ['domain', 'fields', 'offset', 'limit', 'order'],
  button_confirm: ['ids'],
  button_cancel: ['ids'],
  button_draft: ['ids'],
};
const FIELDS: Record<string, readonly string[]> = {
  'res.partner': ['name', 'email', 'phone', 'city', 'active'],
  'product.product': ['name', 'default_code', 'list_price', 'standard_price', 'active'],
  'purchase.order': [
    'name',
    'state',
    'origin',
    'partner_id',
    'currency_id',
    'date_planned',
    'amount_total',
    'order_line',
    'x_studio_cost_center',
  ],
  'purchase.order.line': ['product_id', 'product_qty', 'price_unit'],
};

type Row = Record<string, unknown> & { id: number };
type Named = Record<string, unknown>;

class Refused extends Error {
  constructor(
    readonly status: number,
    readonly error: string,
    message: string,
  ) {
    super(message);
  }
}

/** A server with the shapes of Odoo's `/json/2`; it refuses whatever the documents do not show. */
export class OdooFixture {
  readonly key = 'odoo-api-key-of-the-fixture';
  readonly rows: Record<string, Map<number, Row>> = Object.fromEntries(Object.keys(FIELDS).map((model) => [model, new Map()]));
  /** Bodies of all requests. */
  readonly requests: { path: string; body: Named }[] = [];
  private readonly server: Server = createServer((request, response) => void this.answer(request, response));
  private last = 0;

  async start(): Promise<URL> {
    await new Promise<void>((ready) => this.server.listen(0, '127.0.0.1', ready));
    return new URL(`http://127.0.0.1:${(this.server.address() as { port: number }).port}`);
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((closed) => this.server.close(() => closed()));
  }

  add(model: string, values: Named, id = 10_000 + ++this.last): number {
    this.rowsOf(model).set(id, { ...values, id });
    return id;
  }

  private rowsOf(model: string): Map<number, Row> {
    const rows = this.rows[model];
    if (!rows) throw new Refused(404, 'werkzeug.exceptions.NotFound', `the model ${model} does not exist`);
    return rows;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    try {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      send(200, this.result(request, Buffer.concat(parts).toString('utf8')));
    } catch (thrown) {
      const { status = 500, error = 'builtins.Exception', message } = thrown as Refused;
      send(status, { name: error, message, arguments: [message], context: {}, debug: 'Traceback: password=hunter2' });
    }
  }

  private result(request: IncomingMessage, text: string): unknown {
    const [, model = '', method = ''] = /^\/json\/2\/([\w.]+)\/(\w+)$/.exec(request.url ?? '') ?? [];
    if (request.method !== 'POST' || method === '') throw new Refused(404, 'werkzeug.exceptions.NotFound', 'no such route');
    if (request.headers.authorization !== `bearer ${this.key}`)
      throw new Refused(401, 'werkzeug.exceptions.Unauthorized', 'Invalid apikey');
    if (request.headers['x-odoo-database'] !== 'acme') throw new Refused(404, 'werkzeug.exceptions.NotFound', 'no such database');
    const { context: _context, ...named } = JSON.parse(text) as Named;
    const allowed = ARGUMENTS[method];
    const odd = Object.keys(named).find((name) => !allowed?.includes(name));
    if (!allowed || odd) throw new Refused(422, 'builtins.TypeError', `${method}() got an unexpected argument ${odd ?? ''}`);
    this.requests.push({ path: request.url as string, body: named });
    return this.run(model, method, named);
  }

  private run(model: string, method: string, { vals_list, vals, ids, ...query }: Named): unknown {
    switch (method) {
      case 'create':
        return (vals_list as Named[]).map((values) => this.create(model, values));
      case 'write':
        for (const id of ids as number[]) this.write(model, id, vals as Named);
        return true;
      case 'search_read':
        return this.search(model, query);
      default:
        for (const id of ids as number[]) this.press(id, method);
        return method === 'button_draft' ? {} : true;
    }
  }

  private checkFields(model: string, names: readonly string[]): void {
    const odd = names.find((name) => !FIELDS[model]?.includes(name));
    if (odd) throw new Refused(422, 'builtins.ValueError', `Invalid field '${odd}' on model '${model}'`);
  }

  private create(model: string, { order_line = [], ...values }: Named): number {
    this.checkFields(model, Object.keys(values));
    const lines = (order_line as [number, number, Named][]).map(([command, , line]) => {
      if (command !== 0) throw new Refused(422, 'builtins.ValueError', 'a command of a new record creates');
      this.checkFields('purchase.order.line', Object.keys(line));
      return this.add('purchase.order.line', line);
    });
    return this.add(model, { state: 'draft', ...values, order_line: lines });
  }

  private write(model: string, id: number, { order_line = [], ...values }: Named): void {
    this.checkFields(model, Object.keys(values));
    const row = this.rowsOf(model).get(id);
    if (!row) throw new Refused(404, 'odoo.exceptions.MissingError', 'Record does not exist or has been deleted.');
    for (const [command, line, change] of order_line as [number, number, Named][]) {
      if (command !== 1) throw new Refused(422, 'builtins.ValueError', 'only a change of a line is shown');
      Object.assign(this.rowsOf('purchase.order.line').get(line) as Row, change);
    }
    Object.assign(row, values);
  }

  private press(id: number, method: string): void {
    const row = this.rowsOf('purchase.order').get(id) as Row;
    if (method === 'button_cancel' && row.state === 'purchase')
      throw new Refused(422, 'odoo.exceptions.UserError', 'Unable to cancel a purchase order with a receipt.');
    row.state = { button_confirm: 'purchase', button_cancel: 'cancel', button_draft: 'draft' }[method];
  }

  private search(model: string, { domain = [], fields = [], limit = 80, order }: Named): Row[] {
    this.checkFields(model, fields as string[]);
    if (order !== 'id asc') throw new Refused(422, 'builtins.ValueError', 'pages need an order');
    const matching = [...this.rowsOf(model).values()].filter((row) =>
      (domain as [string, string, unknown][]).every((leaf) => holds(row, leaf)),
    );
    const shown = matching.sort((a, b) => a.id - b.id).slice(0, limit as number);
    return shown.map((row) => Object.fromEntries(['id', ...(fields as string[])].map((name) => [name, shownValue(row, name)])) as Row);
  }
}

const LINKS = ['partner_id', 'product_id', 'currency_id'];
const shownValue = (row: Row, name: string): unknown =>
  LINKS.includes(name) && row[name] ? [row[name], `name of ${String(row[name])}`] : (row[name] ?? false);

function holds(row: Row, [name, operator, value]: [string, string, unknown]): boolean {
  switch (operator) {
    case '=':
      return row[name] === value;
    case '>':
      return Number(row[name]) > Number(value);
    case 'in':
      return (value as unknown[]).includes(row[name]);
    case 'like':
      return String(row[name] ?? '').includes(String(value));
    case 'ilike':
      return String(row[name] ?? '')
        .toLowerCase()
        .includes(String(value).toLowerCase());
    default:
      throw new Refused(422, 'builtins.ValueError', `the operator ${operator} is not shown`);
  }
}
