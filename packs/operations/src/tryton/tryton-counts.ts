import type { ToolError } from '@countersign/tool-kit';
import { markOf } from '../hermes/attempt-mark.js';
import type { Attempt, Values } from '../hermes/port.js';
import { afterWrite, announcementLost, checkNotAborted, conflict, notFound, refused } from '../hermes/refusal.js';
import { numberOf } from './tryton-ids.js';
import type { TrytonModels } from './tryton-model.js';

const INVENTORY = 'stock.inventory';
const READ_MS = 10_000;
const COUNTED_MAX = 1_000_000_000;

/** A product at a place: the id of stock is `<place>.<product>`. */
export interface StockPlace {
  place: number;
  product: number;
}

export function stockPlaceOf(id: string): StockPlace {
  const [place, product] = /^\d{1,9}\.\d{1,9}$/.test(id) ? id.split('.') : [];
  return { place: numberOf(place), product: numberOf(product) };
}

/** What became of the inventory of an attempt. */
export type Count = StockPlace & { inventory: number; state: string };

/**
 * Records what was counted as an inventory of one line: Tryton moves the difference to what it expected when the inventory was made. The
 * draft announces the attempt, with its mark as number, and changes no stock; confirming it does.
 */
export async function countStock(models: TrytonModels, company: number, id: string, values: Values, attempt: Attempt): Promise<void> {
  const quantity = countedOf(values);
  const { place, product } = stockPlaceOf(id);
  await checkPlace(models, id, { place, product });
  const lines = [['create', [{ product, quantity }]]];
  const announced = { company, location: place, number: `cs:${markOf(attempt.key)}`, lines };
  checkNotAborted(attempt);
  const inventory = await models.create(INVENTORY, announced, attempt.signal).catch(announcementLost);
  await confirm(models, inventory, attempt);
  const after = await countOf(models, attempt.key).catch(afterWrite);
  if (after?.state !== 'done')
    throw conflict('changed_nothing', `Tryton answered the inventory ${inventory} as confirmed, and it is ${after?.state ?? 'not there'}`);
}

/** The inventory that carries the mark of an attempt. @throws ToolError if there are several */
export async function countOf(models: TrytonModels, key: string): Promise<Count | undefined> {
  const domain = [['number', '=', `cs:${markOf(key)}`]];
  const names = ['state', 'location', 'lines.product'];
  const [found, second] = await models.search(INVENTORY, domain, names, 2, AbortSignal.timeout(READ_MS));
  if (second) throw conflict('marked_twice', 'two inventories of Tryton carry the mark of this attempt');
  if (!found) return undefined;
  const [line] = (found['lines.'] ?? []) as Values[];
  return { inventory: Number(found.id), state: String(found.state), place: Number(found.location), product: Number(line?.product) };
}

/** What was announced and is refused is cancelled, so that nobody confirms it later. */
async function confirm(models: TrytonModels, inventory: number, attempt: Attempt): Promise<void> {
  checkNotAborted(attempt);
  await models.press(INVENTORY, inventory, 'confirm', attempt.signal).catch(async (error: ToolError) => {
    if (error.more?.effect === 'none') await models.press(INVENTORY, inventory, 'cancel', attempt.signal).catch(() => undefined);
    throw error;
  });
}

function countedOf({ on_hand, ...others }: Values): number {
  const [other] = Object.keys(others);
  if (other !== undefined) throw refused(`/${other}`, 'only_counted', 'is not counted: of stock only on_hand is');
  const counted = Number.isInteger(on_hand) && Number(on_hand) >= 0 && Number(on_hand) <= COUNTED_MAX;
  if (!counted) throw refused('/on_hand', 'wrong_type', 'is no count of pieces');
  return Number(on_hand);
}

async function checkPlace(models: TrytonModels, id: string, { place, product }: StockPlace): Promise<void> {
  const signal = AbortSignal.timeout(READ_MS);
  const at = [
    ['id', '=', place],
    ['type', '=', 'storage'],
  ];
  const goods = [
    ['id', '=', product],
    ['type', '=', 'goods'],
  ];
  const found = await Promise.all([
    models.search('stock.location', at, [], 1, signal),
    models.search('product.product', goods, [], 1, signal),
  ]);
  if (found.some((records) => records.length === 0)) throw notFound('/id', id);
}
