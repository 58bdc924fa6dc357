import { BUTTONS, LINES } from './odoo-schema.js';
import { type Named, type OdooTables, Refused } from './odoo-tables.js';

/** The arguments that Odoo's documents show for each method of all models; `context` always. Buttons have `ids` alone. */
const ARGUMENTS: Record<string, readonly string[]> = {
  create: ['vals_list'],
  write: ['ids', 'vals'],
  search_read: ['domain', 'fields', 'offset', 'limit', 'order'],
};

/** The one field of stock that the API writes. */
const COUNTED = 'inventory_quantity_auto_apply';

/** The methods of the fixture. Each call is a transaction: it is refused before it changes anything. */
export class OdooMethods {
  constructor(private readonly tables: OdooTables) {}

  call(model: string, method: string, named: Named, context: Named): unknown {
    this.tables.of(model);
    const button = BUTTONS[model]?.[method];
    const bills = model === 'purchase.order' && method === 'action_create_invoice';
    const allowed = button || bills ? ['ids'] : ARGUMENTS[method];
    const odd = Object.keys(named).find((name) => !allowed?.includes(name));
    if (!allowed) throw new Refused(404, 'werkzeug.exceptions.NotFound', `the method ${model}.${method} does not exist`);
    if (odd) throw new Refused(422, 'builtins.TypeError', `${method}() got an unexpected argument ${odd}`);
    const ids = named.ids as number[];
    if (bills) return ids.map((id) => this.bill(id)) && { type: 'ir.actions.act_window' };
    if (button) return this.press(model, ids, method);
    return this.basic(model, method, named, context);
  }

  private basic(model: string, method: string, { vals_list, vals, ids, ...query }: Named, context: Named): unknown {
    if (method === 'search_read') return this.tables.search(model, query);
    if (method === 'create') return (vals_list as Named[]).map((values) => this.create(model, values));
    for (const id of ids as number[]) this.write(model, id, vals as Named, context);
    return true;
  }

  private create(model: string, { order_line = [], ...values }: Named): number {
    this.tables.checkFields(model, Object.keys(values));
    const lines = (order_line as [number, number, Named][]).map(([command, , line]) => {
      if (command !== 0 || !LINES[model]) throw new Refused(422, 'builtins.ValueError', 'a command of a new record creates');
      this.tables.checkFields(LINES[model].model, Object.keys(line));
      return line;
    });
    const totals = LINES[model] && { amount_total: totalOf(lines, LINES[model].quantity), invoice_ids: [] };
    const order_lines = LINES[model] && {
      order_line: lines.map((line) => this.tables.add((LINES[model] as { model: string }).model, line)),
    };
    return this.tables.add(model, { state: 'draft', ...totals, ...values, ...order_lines });
  }

  private write(model: string, id: number, { order_line = [], ...values }: Named, context: Named): void {
    this.tables.checkFields(model, Object.keys(values));
    const row = this.tables.row(model, id);
    if (model === 'stock.quant') {
      this.count(id, values, context);
      return;
    }
    const changes = order_line as [number, number, Named][];
    if (changes.length > 0 && row.state !== 'draft')
      throw new Refused(422, 'odoo.exceptions.UserError', 'A confirmed order does not change its lines.');
    for (const [command, line, change] of changes) {
      if (command !== 1 || !LINES[model]) throw new Refused(422, 'builtins.ValueError', 'only a change of a line is shown');
      Object.assign(this.tables.row(LINES[model].model, line), change);
    }
    Object.assign(row, values);
  }

  /** Odoo ignores a count outside of its inventory mode; inside, it makes a stock move of that name in the same transaction. */
  private count(id: number, values: Named, { inventory_mode, inventory_name }: Named): void {
    if (Object.keys(values).some((name) => name !== COUNTED)) throw new Refused(422, 'odoo.exceptions.UserError', 'not editable');
    if (inventory_mode !== true) return;
    const quant = this.tables.row('stock.quant', id);
    const { product_id, location_id } = quant;
    const move = { product_id, location_id, location_dest_id: 900_000, is_inventory: true, inventory_name };
    this.tables.add('stock.move', move);
    const quantity = Number(values[COUNTED]);
    Object.assign(quant, { quantity, available_quantity: quantity - Number(quant.reserved_quantity ?? 0) });
  }

  private press(model: string, ids: readonly number[], method: string): unknown {
    for (const id of ids) {
      const row = this.tables.row(model, id);
      const { from = [], sets = {} } = BUTTONS[model]?.[method] ?? {};
      if (!from.includes(String(row.state)))
        throw new Refused(422, 'odoo.exceptions.UserError', `${method} is not possible in the state ${String(row.state)}.`);
      Object.assign(row, sets);
    }
    return true;
  }

  /** The draft bill of what an order has that is not billed yet. */
  private bill(id: number): void {
    const order = this.tables.row('purchase.order', id);
    if (order.state !== 'purchase' || (order.invoice_ids as number[]).length > 0)
      throw new Refused(422, 'odoo.exceptions.UserError', 'There is no invoiceable line.');
    const { partner_id, currency_id, amount_total } = order;
    const draft = { move_type: 'in_invoice', state: 'draft', partner_id, currency_id, amount_total, amount_residual: amount_total };
    order.invoice_ids = [this.tables.add('account.move', draft)];
  }
}

const totalOf = (lines: readonly Named[], quantity: string): number =>
  lines.reduce((sum, line) => sum + Math.round(Number(line[quantity]) * Number(line.price_unit) * 100), 0) / 100;
