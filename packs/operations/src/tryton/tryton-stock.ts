import type { ErpRecord, Found, Kind, Page, Query, Values } from '../hermes/port.js';
import { stockPlaceOf } from './tryton-counts.js';
import { numberOf, pageOf } from './tryton-ids.js';
import type { TrytonModels } from './tryton-model.js';

/** Reads get a limit of time of their own. */
const READ_MS = 10_000;
const SHIPMENTS_MAX = 1_000;
const WAREHOUSES_MAX = 100;

/** What Tryton computes from stock moves. It keeps no records of these kinds, so that they are only listed. */
export class TrytonStock {
  constructor(
    private readonly models: TrytonModels,
    private readonly url: URL,
  ) {}

  /** Undefined: Tryton keeps this kind as records. */
  find(kind: Kind, query: Query, page: Page): Promise<Found> | undefined {
    if (kind === 'stock') return this.stock(query, page);
    if (kind === 'reservation') return this.reservations(query, page);
    return kind === 'shortage' ? this.shortages(query, page) : undefined;
  }

  /** The stock of a product at a place, also where it is zero. */
  async read(id: string): Promise<ErpRecord | undefined> {
    const { place, product } = stockPlaceOf(id);
    const known = await this.search('product.product', [['id', '=', product]], [], 1);
    if (known.length === 0) return undefined;
    const { items } = await this.at(product, [['id', '=', place]], { limit: 1 });
    return items[0];
  }

  /** The places where a product is. */
  private stock({ where }: Query, page: Page): Promise<Found> {
    const at = where.location === undefined ? [] : [['OR', ['code', '=', where.location], ['name', '=', where.location]]];
    return this.at(numberOf(where.product), [['quantity', '!=', 0], ...at, ...after(page)], page);
  }

  /** What of a product is on hand at places, and what is left of it without the moves that are assigned. */
  private async at(product: number, places_domain: readonly unknown[], page: Page): Promise<Found> {
    const domain = [['type', '=', 'storage'], ...places_domain];
    const context = { product, with_childs: false };
    const places = await this.search('stock.location', domain, ['name', 'code', 'quantity'], page.limit + 1, context);
    const ids = places.map(({ id }) => id);
    const left = await this.search('stock.location', [['id', 'in', ids]], ['quantity'], ids.length, { ...context, stock_assign: true });
    const left_at = new Map(left.map(({ id, quantity }) => [id, Number(quantity)]));
    return paged(places, page, ({ id, name, code, quantity }) => {
      const available = left_at.get(id) ?? 0;
      const fields = { product, location: code ?? name, quantity, assigned: Number(quantity) - available, available };
      return this.shown(`${String(id)}.${product}`, 'active', pageOf(this.url, 'stock.location', id), fields);
    });
  }

  /** The assigned moves out of the stock, for the shipments of a sales order. */
  private async reservations({ where }: Query, page: Page): Promise<Found> {
    const order = numberOf(where.order);
    const [sale] = await this.search('sale.sale', [['id', '=', order]], ['shipments'], 1);
    const shipments = ((sale?.shipments ?? []) as number[]).slice(0, SHIPMENTS_MAX).map((id) => `stock.shipment.out,${id}`);
    const domain = [['shipment', 'in', shipments], ['state', '=', 'assigned'], ['from_location.type', '=', 'storage'], ...after(page)];
    const names = ['product', 'quantity', 'from_location.name', 'from_location.code'];
    const moves = await this.search('stock.move', domain, names, page.limit + 1);
    return paged(moves, page, ({ id, product, quantity, 'from_location.': from }) => {
      const { name, code } = (from ?? {}) as Values;
      const fields = { order: String(order), product, quantity, location: code ?? name };
      return this.shown(String(id), 'assigned', pageOf(this.url, 'stock.move', id), fields);
    });
  }

  /** Products whose forecast is below zero: what is needed is what is there and what is missing, after all expected receipts. */
  private async shortages({ where: { party, ...where } }: Query, page: Page): Promise<Found> {
    const warehouses = await this.search('stock.location', [['type', '=', 'warehouse']], [], WAREHOUSES_MAX);
    const context = { locations: warehouses.map(({ id }) => id), with_childs: true };
    const of_party = party === undefined ? [] : [['template.product_suppliers.party', '=', numberOf(party)]];
    const others = Object.entries(where).map(([name, value]) => [name, '=', value]);
    const domain = [['forecast_quantity', '<', 0], ...of_party, ...others, ...after(page)];
    const names = ['quantity', 'forecast_quantity', 'template.product_suppliers.party'];
    const products = await this.search('product.product', domain, names, page.limit + 1, context);
    return paged(products, page, ({ id, quantity, forecast_quantity, 'template.': template }) => {
      const [first] = ((template as Values)['product_suppliers.'] ?? []) as Values[];
      const missing = -Number(forecast_quantity);
      const fields = { product: id, available: quantity, missing, required: Number(quantity) + missing, party: first?.party ?? null };
      return this.shown(String(id), 'open', pageOf(this.url, 'product.product', id), fields);
    });
  }

  private shown(id: string, status: string, external_url: string, fields: Values): ErpRecord {
    const known = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
    return { id, status, reference: '', external_url, fields: Object.fromEntries(known) };
  }

  private search(model: string, domain: unknown[], names: readonly string[], limit: number, context: Values = {}): Promise<Values[]> {
    return this.models.search(model, domain, names, limit, AbortSignal.timeout(READ_MS), context);
  }
}

/** Records behind a cursor: of stock it is `<place>.<product>`, of others an id. */
const after = ({ cursor }: Page): unknown[] => (cursor === undefined ? [] : [['id', '>', numberOf(cursor.split('.')[0])]]);

function paged(records: readonly Values[], { limit }: Page, shown: (record: Values) => ErpRecord): Found {
  const items = records.slice(0, limit).map(shown);
  return { items, next_cursor: records.length > limit ? (items.at(-1)?.id as string) : null };
}
