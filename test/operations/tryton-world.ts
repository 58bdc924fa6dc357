import { readFileSync } from 'node:fs';
import type { MappingDefinition } from '@countersign/mapping';
import { Pace } from '@countersign/pack-operations/hermes/pace';
import type { Values } from '@countersign/pack-operations/hermes/port';
import { TrytonTrade } from '@countersign/pack-operations/testing/tryton-trade';
import { TrytonModels } from '@countersign/pack-operations/tryton/tryton-model';
import { TrytonRpc } from '@countersign/pack-operations/tryton/tryton-rpc';
import { realPart } from '../tools/real-parts.js';
import { TrytonPeople } from './tryton-people.js';

export const PASSWORD = 'agent-Pass-1';
const signal = new AbortController().signal;

/** Tables of a mapping: ids of agents to ids of Tryton. */
type Tables = Record<'suppliers' | 'customers' | 'products' | 'currencies', Record<string, number>>;

/** The seeded Tryton, as its own administrator sees it. */
export class TrytonWorld {
  readonly url = new URL(realPart('COUNTERSIGN_TEST_TRYTON'));
  private readonly models = new TrytonModels(
    new TrytonRpc({ url: this.url, user: 'agent', company: 1 }, async () => PASSWORD, new Pace({ at_once: 8, per_second: 1_000 })),
  );

  /** Purchase orders of this delivery date. */
  async ordersOn(delivery_date: string): Promise<{ id: number; state: string; reference: string }[]> {
    const [year, month, day] = delivery_date.split('-').map(Number);
    const domain = [['delivery_date', '=', { __class__: 'date', year, month, day }]];
    return (await this.models.search('purchase.purchase', domain, ['state', 'reference'], 1_000, signal)) as never;
  }

  /** How many purchase orders each delivery date of a span has. */
  async ordersBetween(first: string, last: string): Promise<Map<string, number>> {
    const dateOf = (day: string) => {
      const [year, month, at] = day.split('-').map(Number);
      return { __class__: 'date', year, month, day: at };
    };
    const span = [
      ['delivery_date', '>=', dateOf(first)],
      ['delivery_date', '<=', dateOf(last)],
    ];
    const counts = new Map<string, number>();
    for (const { delivery_date } of await this.models.search('purchase.purchase', span, ['delivery_date'], 10_000, signal))
      counts.set(String(delivery_date), (counts.get(String(delivery_date)) ?? 0) + 1);
    return counts;
  }

  /** Sets the reference of an order as a person does. */
  editReference(po_id: unknown, reference: string): Promise<void> {
    return this.models.write('purchase.purchase', Number(po_id), { reference }, signal);
  }

  /** Confirms a drafted order as a person does. */
  async confirm(po_id: unknown): Promise<void> {
    for (const button of ['quote', 'confirm']) await this.models.press('purchase.purchase', Number(po_id), button, signal);
  }

  /** Invoices of suppliers for a purchase order. */
  async bills(po_id: unknown): Promise<Values[]> {
    const [order] = await this.models.search('purchase.purchase', [['id', '=', Number(po_id)]], ['invoices'], 1, signal);
    return this.models.search('account.invoice', [['id', 'in', order?.invoices]], ['state', 'reference'], 10, signal);
  }

  /** Mappings of the pack with the ids of this database. @param gone suppliers that Tryton does not have */
  async mappings(tools: readonly string[], gone: Record<string, number> = {}): Promise<Record<string, MappingDefinition>> {
    const tables = await this.tables();
    const suppliers = { ...tables.suppliers, ...gone };
    const of = (tool: string) => JSON.parse(readFileSync(`packs/operations/mappings/tryton/${tool}.json`, 'utf8')) as MappingDefinition;
    return Object.fromEntries(tools.map((tool) => [tool, { ...of(tool), tables: { ...tables, suppliers } }]));
  }

  /** What people do there. */
  trade(): TrytonTrade {
    const login = { url: this.url, user: 'admin', company: 1 };
    return new TrytonTrade(new TrytonModels(new TrytonRpc(login, async () => 'admin', new Pace({ at_once: 4, per_second: 1_000 }))));
  }

  /** People who enter what contract tests need. */
  people(): TrytonPeople {
    const login = { url: this.url, user: 'admin', company: 1 };
    return new TrytonPeople(new TrytonModels(new TrytonRpc(login, async () => 'admin', new Pace({ at_once: 4, per_second: 1_000 }))));
  }

  /** A quote for Northwind that a person entered in Tryton. */
  async quote(): Promise<string> {
    const { customers, products } = await this.tables();
    const [party] = await this.models.search('party.party', [['id', '=', customers.cus_northwind]], ['addresses'], 1, signal);
    const [address] = (party?.addresses ?? []) as number[];
    const line = { product: products.p_widget_a, quantity: 5, unit: 1, unit_price: '21.00' };
    const addresses = { invoice_address: address, shipment_address: address };
    const order = { company: 1, party: customers.cus_northwind, ...addresses, lines: [['create', [line]]] };
    return String(await this.models.create('sale.sale', order, signal));
  }

  private async tables(): Promise<Tables> {
    const ids = async (model: string, name: string, like: string) => {
      const found = await this.models.search(model, [[name, 'like', like]], [name], 100, signal);
      return Object.fromEntries(found.map((record) => [String(record[name]), Number(record.id)]));
    };
    return {
      suppliers: await ids('party.party', 'code', 'sup%'),
      customers: await ids('party.party', 'code', 'cus%'),
      products: await ids('product.product', 'code', '%'),
      currencies: await ids('currency.currency', 'code', '%'),
    };
  }
}
