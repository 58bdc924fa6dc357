import type { Kind, Values } from '../hermes/port.js';
import { notFound, refused } from '../hermes/refusal.js';
import type { TrytonModels } from './tryton-model.js';

interface Party {
  id: number;
  addresses: number[];
  supplier_currency?: number | null;
}

const idOf = (value: unknown): number => (/^\d{1,15}$/.test(String(value)) ? Number(value) : -1);

/** New lines of an order, as `['create', [{…}]]`. */
const newLines = (values: Values): Values[] =>
  (Array.isArray(values.lines) ? (values.lines as unknown[][]) : []).flatMap((command) =>
    command[0] === 'create' ? (command[1] as Values[]) : [],
  );

/**
 * What Tryton itself finds too late or words otherwise: its party, products and currency are checked before anything is written, and named
 * as agents name them. @returns the party of an order
 */
export async function checkedParty(models: TrytonModels, kind: Kind, values: Values, signal: AbortSignal): Promise<Party | undefined> {
  const role = kind === 'purchase_order' ? 'supplier' : kind === 'sales_order' ? 'customer' : undefined;
  if (role === undefined) return undefined;
  const fields = role === 'supplier' ? ['addresses', 'supplier_currency'] : ['addresses'];
  const [party] = (await models.search('party.party', [['id', '=', idOf(values.party)]], fields, 1, signal)) as unknown as Party[];
  if (!party) throw notFound(`/${role}`, String(values.party));
  if (values.currency && party.supplier_currency && Number(values.currency) !== party.supplier_currency)
    throw refused('/currency', 'currency_of_party', 'is not the currency of this supplier');
  await checkProducts(models, newLines(values), signal);
  return party;
}

async function checkProducts(models: TrytonModels, lines: readonly Values[], signal: AbortSignal): Promise<void> {
  const ids = lines.map(({ product }) => idOf(product));
  const found = await models.search('product.product', [['id', 'in', ids]], [], ids.length, signal);
  const known = new Set(found.map(({ id }) => id));
  const at = ids.findIndex((id) => !known.has(id));
  if (at >= 0) throw notFound(`/line_items/${at}/product`, String(lines[at]?.product));
}
