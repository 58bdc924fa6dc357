import type { Tables } from './contract-mapping.js';
import { TrytonContractWorld } from './tryton-contract-world.js';
import type { TrytonPeople } from './tryton-people.js';

/** What the reading tools find in a real Tryton: entered once, because they change nothing. */
export class TrytonReads extends TrytonContractWorld {
  private readonly found: Record<string, Record<string, string>> = { sales: {}, invoices: {} };

  constructor(
    url: URL,
    private readonly clerks: TrytonPeople,
  ) {
    super(url, clerks);
  }

  override async open(): Promise<void> {
    await super.open();
    await this.enter('purchase_order', 't_po_1001');
    await this.enter('sales_order', 't_so_1002');
    await this.enter('production_order', 't_mo_1001');
    await this.reserve();
    await this.bill();
    await this.sell('t_cus_northwind', 't_p_crate', 12, '60.00');
  }

  override tables(): Tables {
    const tables = super.tables();
    return { ...tables, sales: { ...tables.sales, ...this.found.sales }, invoices: this.found.invoices ?? {} };
  }

  /** Reserves five of ten pieces for an order. */
  private async reserve(): Promise<void> {
    await this.clerks.count(Number(super.tables().products?.t_p_widget_a), 10);
    const id = await this.sell('t_cus_northwind', 't_p_widget_a', 5, '21.00');
    const [sale] = await this.clerks.search('sale.sale', [['id', '=', id]], ['shipments']);
    for (const shipment of sale?.shipments as number[]) await this.clerks.press('stock.shipment.out', shipment, 'assign_try');
    this.found.sales = { t_so_1003: String(id) };
  }

  /** A posted invoice of today. */
  private async bill(): Promise<void> {
    const id = await this.sell('t_cus_contoso', 't_p_widget_b', 1, '32.00');
    const [sale] = await this.clerks.search('sale.sale', [['id', '=', id]], ['invoices']);
    const [invoice] = sale?.invoices as [number];
    await this.clerks.write('account.invoice', invoice, { invoice_date: new Date().toISOString().slice(0, 10) });
    await this.clerks.press('account.invoice', invoice, 'post');
    this.found.invoices = { t_inv_1001: String(invoice) };
  }

  private async sell(customer: string, product: string, quantity: number, price: string): Promise<number> {
    const { customers = {}, products = {} } = super.tables();
    const id = await this.clerks.sale(Number(customers[customer]), [[Number(products[product]), quantity, price]]);
    await this.clerks.press('sale.sale', id, 'quote', 'confirm');
    return id;
  }
}
