import { randomUUID } from 'node:crypto';
import type { Values } from '@countersign/pack-operations/hermes/port';
import type { TrytonModels } from '@countersign/pack-operations/tryton/tryton-model';

const signal = new AbortController().signal;

/** A line of an order: a product, how many, at which price. */
export type OrderLine = [product: number, quantity: number, unit_price: string];

/** What people enter in a real Tryton: parties, products, orders, counts. */
export class TrytonPeople {
  /** Part of all names, so that runs on one database do not meet. */
  readonly run = randomUUID().slice(0, 8);

  constructor(readonly models: TrytonModels) {}

  party(name: string): Promise<number> {
    const addresses = [['create', [{ street: 'Rheinweg 1', city: 'Bonn' }]]];
    return this.create('party.party', { name: `${name} ${this.run}`, code: `${name}-${this.run}`, addresses });
  }

  /** @param supplier who delivers it */
  async product(name: string, list_price: string, cost_price: string, supplier: number): Promise<number> {
    const category = await this.idOf('product.category', ['accounting', '=', true]);
    const unit = await this.idOf('product.uom', ['name', '=', 'Unit']);
    const kept = { default_uom: unit, type: 'goods', purchasable: true, salable: true, producible: true, account_category: category };
    const shown = { name, list_price, purchase_uom: unit, sale_uom: unit };
    const products = [['create', [{ suffix_code: `${name}-${this.run}`, cost_price }]]];
    const template = await this.create('product.template', { ...shown, ...kept, products });
    await this.create('purchase.product_supplier', { template, party: supplier, company: 1, currency: 1 });
    return this.idOf('product.product', ['template', '=', template]);
  }

  purchase(party: number, lines: OrderLine[], more: Values = {}): Promise<number> {
    return this.order('purchase.purchase', party, lines, ['invoice_address'], more);
  }

  sale(party: number, lines: OrderLine[]): Promise<number> {
    return this.order('sale.sale', party, lines, ['invoice_address', 'shipment_address'], {});
  }

  production(product: number, quantity: number, planned_date: string): Promise<number> {
    return this.create('production', { company: 1, product, quantity, unit: 1, planned_date, planned_start_date: planned_date });
  }

  /** Counts so many pieces in the storage of the warehouse. */
  async count(product: number, quantity: number): Promise<void> {
    const location = await this.idOf('stock.location', ['code', '=', 'STO']);
    const lines = [['create', [{ product, quantity }]]];
    await this.press('stock.inventory', await this.create('stock.inventory', { company: 1, location, lines }), 'confirm');
  }

  /** Buttons of a record, one after the other. */
  async press(model: string, id: number, ...buttons: string[]): Promise<void> {
    for (const button of buttons) await this.models.press(model, id, button, signal);
  }

  write(model: string, id: number, values: Values): Promise<void> {
    return this.models.write(model, id, values, signal);
  }

  search(model: string, domain: unknown[], names: readonly string[]): Promise<Values[]> {
    return this.models.search(model, domain, names, 1_000, signal);
  }

  private async order(model: string, party: number, lines: OrderLine[], addresses: string[], more: Values): Promise<number> {
    const [found] = await this.search('party.party', [['id', '=', party]], ['addresses']);
    const [address] = found?.addresses as number[];
    const at = Object.fromEntries(addresses.map((name) => [name, address]));
    const created = lines.map(([product, quantity, unit_price]) => ({ product, quantity, unit: 1, unit_price }));
    return this.create(model, { company: 1, party, currency: 1, ...at, ...more, lines: [['create', created]] });
  }

  private create(model: string, values: Values): Promise<number> {
    return this.models.create(model, values, signal);
  }

  private async idOf(model: string, condition: unknown[]): Promise<number> {
    const [found] = await this.search(model, [condition], []);
    if (!found) throw new Error(`Tryton has no ${model} with ${JSON.stringify(condition)}: was it seeded?`);
    return Number(found.id);
  }
}
