import { randomUUID } from 'node:crypto';
import type { Values } from '../hermes/port.js';
import type { TrytonModels } from '../tryton/tryton-model.js';

const signal = new AbortController().signal;
const PURCHASE = 'purchase.purchase';
const SALE = 'sale.sale';
const SHIPMENT = 'stock.shipment.out';

/** A product of its own, sold and bought in a real Tryton by people, for specs of what follows from that. */
export class TrytonTrade {
  product = 0;
  /** How agents call the product. */
  readonly code = `scarce-${randomUUID().slice(0, 8)}`;
  customer = 0;
  supplier = 0;

  constructor(private readonly models: TrytonModels) {}

  /** A new product that the supplier `sup_gamma` delivers. */
  async open(): Promise<void> {
    this.customer = await this.idOf('party.party', ['code', '=', 'cus_northwind']);
    this.supplier = await this.idOf('party.party', ['code', '=', 'sup_gamma']);
    const category = await this.idOf('product.category', ['accounting', '=', true]);
    const unit = await this.idOf('product.uom', ['name', '=', 'Unit']);
    const kept = { default_uom: unit, type: 'goods', purchasable: true, salable: true, account_category: category };
    const shown = { name: 'Scarce part', list_price: '9.00', purchase_uom: unit, sale_uom: unit };
    const variants = [['create', [{ suffix_code: this.code }]]];
    const template = await this.create('product.template', { ...shown, ...kept, products: variants });
    await this.create('purchase.product_supplier', { template, party: this.supplier, company: 1, currency: 1 });
    this.product = await this.idOf('product.product', ['template', '=', template]);
  }

  /** Counts so many pieces in the storage of the warehouse. */
  async count(quantity: number): Promise<void> {
    const location = await this.idOf('stock.location', ['code', '=', 'STO']);
    const lines = [['create', [{ product: this.product, quantity }]]];
    await this.press('stock.inventory', await this.create('stock.inventory', { company: 1, location, lines }), 'confirm');
  }

  /** A confirmed sales order. */
  async sale(quantity: number): Promise<number> {
    const id = await this.create(SALE, await this.order(this.customer, quantity, ['invoice_address', 'shipment_address']));
    for (const button of ['quote', 'confirm']) await this.press(SALE, id, button);
    return id;
  }

  /** Reserves what there is for the shipments of a sales order. */
  async assign(sale: number): Promise<void> {
    const [record] = await this.models.search(SALE, [['id', '=', sale]], ['shipments'], 1, signal);
    for (const shipment of record?.shipments as number[]) await this.press(SHIPMENT, shipment, 'assign_try');
  }

  /** A confirmed purchase order. */
  async purchase(quantity: number): Promise<number> {
    const id = await this.create(PURCHASE, await this.order(this.supplier, quantity, ['invoice_address']));
    for (const button of ['quote', 'confirm']) await this.press(PURCHASE, id, button);
    return id;
  }

  /** A posted invoice to the customer, due on the day of its date. */
  async invoice(sale: number, invoice_date: string): Promise<number> {
    const [record] = await this.models.search(SALE, [['id', '=', sale]], ['invoices'], 1, signal);
    const [id] = record?.invoices as [number];
    await this.models.write('account.invoice', id, { invoice_date }, signal);
    await this.press('account.invoice', id, 'post');
    return id;
  }

  /** The bill that Tryton expects for a purchase order. */
  async bill(purchase: number): Promise<number> {
    const [record] = await this.models.search(PURCHASE, [['id', '=', purchase]], ['invoices'], 1, signal);
    return (record?.invoices as [number])[0];
  }

  /** All moves of the product. */
  moves(): Promise<Values[]> {
    return this.models.search('stock.move', [['product', '=', this.product]], ['state', 'quantity'], 1_000, signal);
  }

  private async order(party: number, quantity: number, addresses: readonly string[]): Promise<Values> {
    const [found] = await this.models.search('party.party', [['id', '=', party]], ['addresses'], 1, signal);
    const [address] = found?.addresses as number[];
    const line = { product: this.product, quantity, unit: 1, unit_price: '9.00' };
    const at = Object.fromEntries(addresses.map((name) => [name, address]));
    return { company: 1, party, currency: 1, ...at, lines: [['create', [line]]] };
  }

  private async idOf(model: string, condition: unknown[]): Promise<number> {
    const [found] = await this.models.search(model, [condition], [], 1, signal);
    if (!found) throw new Error(`Tryton has no ${model} with ${JSON.stringify(condition)}: was it seeded?`);
    return Number(found.id);
  }

  private create(model: string, values: Values): Promise<number> {
    return this.models.create(model, values, signal);
  }

  private press(model: string, id: number, button: string): Promise<void> {
    return this.models.press(model, id, button, signal);
  }
}
