import { markOf, marksIn } from '../hermes/attempt-mark.js';
import type { Attempt, ErpRecord, Found, Kind, Page, Query, ReadBack, Values } from '../hermes/port.js';
import { afterWrite, checkNotAborted, notFound, refused } from '../hermes/refusal.js';
import type { OdooApi } from './odoo-api.js';
import type { OdooRecords } from './odoo-records.js';
import { nameOf, notShown, numberOf, pageOf, plain } from './odoo-values.js';

const QUANT = 'stock.quant';
const QUANT_FIELDS = ['product_id', 'location_id', 'quantity', 'reserved_quantity', 'available_quantity'];
const MOVE_FIELDS = ['product_id', 'location_id', 'location_dest_id', 'inventory_name'];
const INTERNAL = ['location_id.usage', '=', 'internal'];
const RESERVED = ['assigned', 'partially_available'];

/** Stock, what is reserved of it, and what is missing, as Odoo computes them. */
export class OdooStock {
  constructor(
    private readonly api: OdooApi,
    private readonly records: OdooRecords,
    private readonly url: URL,
  ) {}

  /** Undefined: another kind. */
  find(kind: Kind, query: Query, page: Page): Promise<Found> | undefined {
    if (kind === 'stock') return this.stock(query, page);
    if (kind === 'reservation') return this.reservations(query, page);
    return kind === 'shortage' ? this.shortages(query, page) : undefined;
  }

  async read(id: string): Promise<ErpRecord | undefined> {
    const [quant] = await this.records.search(QUANT, [INTERNAL, ['id', '=', numberOf(id)]], QUANT_FIELDS, 1);
    return quant && this.quant(quant);
  }

  /**
   * Sets what was counted. One write: Odoo makes the stock move for the difference in the same transaction, under the name that the context
   * gives, which carries the mark of the attempt. The user of the key must be a manager of the inventory, else Odoo ignores the write.
   */
  async count(id: string, { on_hand, ...others }: Values, attempt: Attempt): Promise<ErpRecord> {
    const [other] = Object.keys(others);
    if (other !== undefined || on_hand === undefined) throw refused(`/${other ?? 'on_hand'}`, 'only_counted', 'only on_hand is counted');
    if (!(await this.read(id))) throw notFound('/id', id);
    checkNotAborted(attempt);
    const named = { ids: [numberOf(id)], vals: { inventory_quantity_auto_apply: on_hand } };
    const context = { inventory_mode: true, inventory_name: `cs:${markOf(attempt.key)}` };
    await this.api.call(QUANT, 'write', named, attempt.signal, context);
    const after = await this.read(id).catch(afterWrite);
    if (!after) throw notShown(id);
    return after;
  }

  /** The stock whose count carries the mark of an attempt. */
  async readBack(key: string): Promise<ReadBack> {
    const mark = markOf(key);
    const counts = [
      ['is_inventory', '=', true],
      ['inventory_name', 'like', `cs:${mark}`],
    ];
    const found = await this.records.search('stock.move', counts, MOVE_FIELDS, 10);
    const moves = found.filter(({ inventory_name }) => marksIn(String(inventory_name)).includes(mark));
    if (moves.length > 1) return { kind: 'unknown', why: `${moves.length} stock moves carry the mark of this attempt` };
    const [move] = moves.map(plain);
    if (!move) return { kind: 'absent' };
    const places = [move.location_id, move.location_dest_id];
    const at = [INTERNAL, ['product_id', '=', move.product_id], ['location_id', 'in', places]];
    const [quant] = await this.records.search(QUANT, at, QUANT_FIELDS, 1);
    return quant ? { kind: 'present', record: this.quant(quant) } : { kind: 'unknown', why: 'the stock that was counted is not shown' };
  }

  private async stock({ where: { product, location, ...where } }: Query, page: Page): Promise<Found> {
    const at = location === undefined ? [] : [['location_id.complete_name', '=', location]];
    const domain = [INTERNAL, ['product_id', '=', numberOf(product)], ...at, ...equal(where), ...after(page)];
    return paged(await this.records.search(QUANT, domain, QUANT_FIELDS, page.limit + 1), page, (quant) => this.quant(quant));
  }

  /** What is reserved at places of the company for the lines of a sales order. */
  private async reservations({ where: { order, ...where } }: Query, page: Page): Promise<Found> {
    const of_order = [['move_id.sale_line_id.order_id', '=', numberOf(order)], ['state', 'in', RESERVED], INTERNAL];
    const domain = [...of_order, ...equal(where), ...after(page)];
    const moves = await this.records.search('stock.move.line', domain, ['product_id', 'quantity', 'location_id'], page.limit + 1);
    return paged(moves, page, (move) => {
      const { id, product_id, quantity } = plain(move);
      return this.shown('stock.move.line', id, 'assigned', {
        order: String(order),
        product_id,
        quantity,
        location: nameOf(move.location_id),
      });
    });
  }

  /** Products whose forecast is below zero, after all expected receipts. */
  private async shortages({ where: { partner_id, ...where } }: Query, page: Page): Promise<Found> {
    const of_partner = partner_id === undefined ? [] : [['seller_ids.partner_id', '=', numberOf(partner_id)]];
    const domain = [['virtual_available', '<', 0], ...of_partner, ...equal(where), ...after(page)];
    const names = ['qty_available', 'virtual_available', 'seller_ids'];
    const products = await this.records.search('product.product', domain, names, page.limit + 1);
    const sellers = products.flatMap(({ seller_ids }) => (seller_ids as number[]).slice(0, 1));
    const found = await this.records.search('product.supplierinfo', [['id', 'in', sellers]], ['partner_id'], sellers.length);
    const partners = new Map(found.map((seller) => [seller.id, plain(seller).partner_id]));
    return paged(products, page, ({ id, qty_available, virtual_available, seller_ids }) => {
      const missing = -Number(virtual_available);
      const fields = { product_id: id, available: qty_available, missing, required: Number(qty_available) + missing };
      return this.shown('product.product', id, 'open', { ...fields, partner_id: partners.get((seller_ids as number[])[0]) });
    });
  }

  private quant(quant: Values): ErpRecord {
    const { id, location_id: _location, ...fields } = plain(quant);
    return this.shown(QUANT, id, 'active', { ...fields, location: nameOf(quant.location_id) });
  }

  private shown(model: string, id: unknown, status: string, fields: Values): ErpRecord {
    const known = Object.entries(fields).filter(([, value]) => value !== undefined);
    return { id: String(id), status, reference: '', external_url: pageOf(this.url, model, id), fields: Object.fromEntries(known) };
  }
}

const equal = (where: Values): unknown[] => Object.entries(where).map(([name, value]) => [name, '=', value]);
const after = ({ cursor }: Page): unknown[] => (cursor === undefined ? [] : [['id', '>', numberOf(cursor)]]);

function paged(records: readonly Values[], { limit }: Page, shown: (record: Values) => ErpRecord): Found {
  const items = records.slice(0, limit).map(shown);
  return { items, next_cursor: records.length > limit ? (items.at(-1)?.id as string) : null };
}
