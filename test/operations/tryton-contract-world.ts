import { goldens } from '@countersign/pack-operations/goldens';
import { unmarked } from '@countersign/pack-operations/hermes/attempt-mark';
import type { Kind, Values } from '@countersign/pack-operations/hermes/port';
import { type EditedSystem, statesOn } from '@countersign/pack-operations/states';
import type { Golden, ResourceStates } from '@countersign/tool-kit/contract-tests';
import type { Tables } from './contract-mapping.js';
import type { ContractWorld } from './erp-contracts.js';
import { trytonGoldens, trytonStates } from './tryton-goldens.js';
import type { TrytonPeople } from './tryton-people.js';
import { systemsOnTryton } from './tryton-tenant.js';
import { PASSWORD } from './tryton-world.js';

type Ids = Record<string, number>;
const MODELS = { purchase_order: 'purchase.purchase', sales_order: 'sale.sale', production_order: 'production' } as const;
type Ordered = keyof typeof MODELS;
const ORDER_FIELDS = ['state', 'reference', 'comment', 'description', 'lines.product', 'lines.quantity', 'lines.unit_price'];
const FIELDS: Record<Ordered, readonly string[]> = {
  purchase_order: [...ORDER_FIELDS, 'delivery_date'],
  sales_order: ORDER_FIELDS,
  production_order: ['state', 'reference', 'product', 'quantity', 'planned_date'],
};
const BUTTONS: Record<string, string> = { draft: 'draft', quotation: 'quote' };

/** Records of the goldens in a real Tryton: parties and products once for a spec, orders anew for each check of a write. */
export class TrytonContractWorld implements ContractWorld, EditedSystem {
  readonly system = 'tryton';
  readonly secret = PASSWORD;
  readonly generated_runs = 4;
  readonly root: string;
  /** Tryton takes no confirmed order back: nobody can confirm one twice. */
  readonly left_out = {
    confirm_purchase_order: ['resources: a person sets it to draft'],
    confirm_quote: ['resources: a person takes it back'],
  };
  private suppliers: Ids = {};
  private customers: Ids = {};
  private products: Ids = {};
  /** The last id of the world before. */
  private readonly after: Record<Ordered, number> = { purchase_order: 0, sales_order: 0, production_order: 0 };
  private readonly orders: Record<Ordered, Ids> = { purchase_order: {}, sales_order: {}, production_order: {} };

  constructor(
    url: URL,
    private readonly people: TrytonPeople,
  ) {
    this.root = systemsOnTryton(url, 'test');
  }

  /** Parties and products of this spec. */
  async open(): Promise<void> {
    const { people } = this;
    const [alpha, beta, gamma] = await Promise.all(['alpha', 'beta', 'gamma'].map((name) => people.party(name)));
    this.suppliers = { t_sup_alpha: Number(alpha), t_sup_beta: Number(beta), t_sup_gamma: Number(gamma) };
    const [northwind, contoso] = await Promise.all(['northwind', 'contoso'].map((name) => people.party(name)));
    this.customers = { t_cus_northwind: Number(northwind), t_cus_contoso: Number(contoso) };
    this.products = {
      t_p_widget_a: await people.product('wid-a', '21.00', '12.50', Number(alpha)),
      t_p_widget_b: await people.product('wid-b', '32.00', '18.00', Number(beta)),
      t_p_bracket: await people.product('bracket', '4.20', '2.10', Number(beta)),
      t_p_frame: await people.product('frame', '149.00', '80.00', Number(alpha)),
      t_p_crate: await people.product('crate', '60.00', '42.00', Number(gamma)),
    };
  }

  tables(): Tables {
    const { purchase_order, sales_order, production_order } = this.orders;
    const texts = (ids: Ids) => Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, String(id)]));
    const records = { ...this.suppliers, ...this.customers, ...purchase_order, ...sales_order, ...production_order };
    const parties = { suppliers: this.suppliers, customers: this.customers, products: this.products, currencies: { EUR: 1 } };
    const orders = { purchases: texts(purchase_order), sales: texts(sales_order), productions: texts(production_order) };
    const stocks = { t_stock_bracket: `3.${this.products.t_p_bracket}` };
    return { ...parties, ...orders, stocks, invoices: {}, records: texts(records) };
  }

  /** The records that a tool changes; what tools read is entered once, by `enter`. */
  async prepare(tool: string): Promise<void> {
    if (/^(cancel|confirm)_purchase|^update_po|^propose_write/.test(tool)) await this.enter('purchase_order', 't_po_1001');
    if (tool === 'confirm_quote') await this.enter('sales_order', 't_so_1001');
    if (tool === 'update_sales_order_status') await this.enter('sales_order', 't_so_1002');
    if (tool === 'update_production_status') await this.enter('production_order', 't_mo_1001');
  }

  cleans(tool: string): boolean {
    return !/^(query|list|search)_/.test(tool);
  }

  /** A draft or a quotation that a person enters. */
  async enter(kind: Ordered, name: string): Promise<number> {
    const id = await this.entered(name);
    this.orders[kind][name] = id;
    return id;
  }

  private async entered(name: string): Promise<number> {
    const { people, products, suppliers, customers } = this;
    const [widget_a, widget_b, bracket] = [products.t_p_widget_a, products.t_p_widget_b, products.t_p_bracket] as number[];
    switch (name) {
      case 't_po_1001':
        return people.purchase(Number(suppliers.t_sup_beta), [
          [Number(bracket), 400, '2.10'],
          [Number(widget_b), 10, '18.00'],
        ]);
      case 't_so_1001': {
        const id = await people.sale(Number(customers.t_cus_northwind), [[Number(widget_a), 3, '21.00']]);
        await people.press('sale.sale', id, 'quote');
        return id;
      }
      case 't_so_1002':
        return people.sale(Number(customers.t_cus_contoso), [[Number(widget_b), 20, '32.00']]);
      default:
        return people.production(Number(products.t_p_frame), 12, '2099-03-15');
    }
  }

  /** Deletes what may be deleted; what Tryton keeps loses its mark, and is of no later world. */
  async clean(): Promise<void> {
    for (const kind of Object.keys(MODELS) as Ordered[]) {
      const model = MODELS[kind];
      const left = (await this.all(kind, [])).map(({ id }) => Number(id));
      for (const id of left) await this.people.press(model, id, 'delete').catch(() => this.people.write(model, id, { reference: '' }));
      this.orders[kind] = {};
      this.after[kind] = Math.max(this.after[kind], ...left);
    }
    const parties = [...Object.values(this.suppliers), ...Object.values(this.customers)];
    const codes = await this.people.search('party.identifier', [['party', 'in', parties]], []);
    for (const { id } of codes) await this.people.press('party.identifier', Number(id), 'delete');
  }

  async snapshot(): Promise<unknown> {
    const kinds = Object.keys(MODELS) as Ordered[];
    const orders = await Promise.all(kinds.map((kind) => this.all(kind, FIELDS[kind])));
    const parties = await this.people.search('party.party', [['id', 'in', Object.values(this.suppliers)]], ['name']);
    return { parties, orders: orders.map((of_kind) => of_kind.map(shown)) };
  }

  async edit(kind: Kind, id: string, { status }: { status: string }): Promise<void> {
    const order = this.orders[kind as Ordered][id];
    await this.people.press(MODELS[kind as Ordered], Number(order), BUTTONS[status] as string);
  }

  golden(tool: string): [Golden, ...Golden[]] {
    return trytonGoldens(this.people.run)[tool] ?? (goldens[tool] as [Golden, ...Golden[]]);
  }

  states(tool: string): ResourceStates[] | undefined {
    return trytonStates[tool] ?? statesOn(this)[tool];
  }

  /** Orders of this world that are not cancelled. */
  private all(kind: Ordered, names: readonly string[]): Promise<Values[]> {
    const own =
      kind === 'production_order'
        ? ['product', 'in', Object.values(this.products)]
        : ['party', 'in', Object.values(kind === 'sales_order' ? this.customers : this.suppliers)];
    return this.people.search(MODELS[kind], [own, ['state', '!=', 'cancelled'], ['id', '>', this.after[kind]]], names);
  }
}

/** Without what Tryton numbers. */
function shown({ id: _id, reference, 'lines.': lines, ...fields }: Values): Values {
  const plain = Array.isArray(lines) ? { lines: (lines as Values[]).map(({ id: _line, ...line }) => line) } : {};
  return { ...fields, ...plain, reference: unmarked(String(reference ?? '')) };
}
