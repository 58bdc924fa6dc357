import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { goldens } from '@countersign/pack-operations/goldens';
import { unmarked } from '@countersign/pack-operations/hermes/attempt-mark';
import type { Kind } from '@countersign/pack-operations/hermes/port';
import { type EditedSystem, statesOn } from '@countersign/pack-operations/states';
import { OdooFixture } from '@countersign/pack-operations/testing/odoo-fixture';
import type { Golden, ResourceStates } from '@countersign/tool-kit/contract-tests';
import type { Tables } from './contract-mapping.js';
import type { ContractWorld } from './erp-contracts.js';
import { odooRecords } from './odoo-records.js';

const MODELS: Partial<Record<Kind, string>> = {
  purchase_order: 'purchase.order',
  sales_order: 'sale.order',
  production_order: 'mrp.production',
};
const STATES: Record<string, object> = {
  draft: { state: 'draft' },
  quotation: { state: 'sent' },
  waiting: { state: 'confirmed', reservation_state: 'confirmed' },
};
const LINES: readonly string[] = ['purchase.order.line', 'sale.order.line'];
const REFERENCES: readonly string[] = ['origin', 'client_order_ref', 'ref', 'inventory_name'];

/** The records of the goldens on the fixture of Odoo. */
export class OdooWorld implements ContractWorld, EditedSystem {
  readonly system = 'odoo';
  readonly root = mkdtempSync(path.join(tmpdir(), 'countersign-odoo-'));
  readonly generated_runs = 12;
  private readonly fixture = new OdooFixture();
  private ids: Tables = {};

  get secret(): string {
    return this.fixture.key;
  }

  async start(): Promise<void> {
    const url = await this.fixture.start();
    const connection = { connector: 'odoo', url: url.href, database: 'acme', limits: { at_once: 4, per_second: 1_000 } };
    mkdirSync(path.join(this.root, 'test'));
    writeFileSync(path.join(this.root, 'test', 'connection.json'), JSON.stringify(connection));
  }

  stop(): Promise<void> {
    return this.fixture.stop();
  }

  tables(): Tables {
    return this.ids;
  }

  async prepare(): Promise<void> {
    this.ids = odooRecords(this.fixture.tables, JSON.parse(readFileSync('packs/operations/data/opening.json', 'utf8')));
  }

  cleans(): boolean {
    return true;
  }

  async clean(): Promise<void> {
    this.fixture.tables.clear();
  }

  /** Lines are shown in their orders: those of a cancelled order are gone with it. */
  async snapshot(): Promise<unknown> {
    const { rows } = this.fixture.tables;
    const models = Object.keys(rows).filter((model) => !LINES.includes(model));
    return models.map((model) =>
      [...(rows[model]?.values() ?? [])].filter(({ state }) => state !== 'cancel').map((row) => this.shown(row)),
    );
  }

  async edit(kind: Kind, id: string, { status }: { status: string }): Promise<void> {
    Object.assign(this.fixture.tables.row(MODELS[kind] as string, Number(this.ids.records?.[id])), STATES[status]);
  }

  golden(tool: string): [Golden, ...Golden[]] {
    return GOLDENS[tool] ?? (goldens[tool] as [Golden, ...Golden[]]);
  }

  states(tool: string): ResourceStates[] | undefined {
    return this.ownStates()[tool] ?? statesOn(this)[tool];
  }

  private ownStates(): Record<string, ResourceStates[]> {
    const bill = goldens.post_vendor_bill?.[0].input as object;
    const released = () => this.edit('production_order', 't_mo_1001', { status: 'waiting' });
    return {
      // Odoo makes one bill of what an order has.
      post_vendor_bill: [
        { title: 'two bills of a supplier', a: { ...bill }, b: { ...bill, purchase_order: 't_po_1003', invoice_number: 'A-78' } },
      ],
      // Odoo has no way back to a draft.
      update_production_status: [{ title: 'a person takes the reservation back', a: RESERVED, b: released }],
    };
  }

  private shown(row: Record<string, unknown>): unknown {
    const { order_line, ...fields } = row;
    const lines = (order_line as number[] | undefined)?.map((id) => LINES.map((model) => ({ ...this.fixture.tables.of(model).get(id) })));
    const people = Object.entries(fields).map(([name, value]) => [name, REFERENCES.includes(name) ? unmarked(String(value)) : value]);
    const plain = people.filter(([, value]) => value !== '');
    return { ...Object.fromEntries(plain), lines };
  }
}

const RESERVED = { production_id: 't_mo_1001', from_status: 'waiting', status: 'assigned' };

/** Goldens of what Odoo names or orders otherwise. */
const GOLDENS: Record<string, [Golden, ...Golden[]]> = {
  create_purchase_order: [goldens.create_purchase_order?.[0] as Golden],
  propose_write: [
    {
      title: 'a field without a tool',
      input: { operation: 'update', kind: 'supplier', id: 't_sup_alpha', fields: { phone: '+49 228 1' }, reason: 'asked' },
    },
    { title: 'a move', input: { operation: 'act', kind: 'purchase_order', id: 't_po_1001', action: 'confirm', reason: 'started' } },
  ],
  query_price: [{ title: 'one', input: { product_id: 't_p_widget_a' }, output: { list_price: '21.00', cost_price: '12.50' } }],
  list_open_quotes: [
    { title: 'all', input: {}, output: { items: [{ quote_id: 't_so_1001' }, { quote_id: 't_so_1002' }] } },
    { title: 'a page', input: { limit: 1 }, output: { items: [{ quote_id: 't_so_1001' }] } },
  ],
  search_products: [
    { title: 'by code', input: { text: 'wid' }, output: { items: [{ code: 'WID-A' }, { code: 'WID-B' }, { code: 'FRM-1' }] } },
  ],
  update_production_status: [{ title: 'reserved', input: RESERVED, output: { status: 'assigned' } }],
};
