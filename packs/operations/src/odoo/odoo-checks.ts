import type { Kind, Values } from '../hermes/port.js';
import { notFound } from '../hermes/refusal.js';
import type { OdooRecords } from './odoo-records.js';
import { numberOf } from './odoo-values.js';

const ROLES: Partial<Record<Kind, 'supplier' | 'customer'>> = { purchase_order: 'supplier', sales_order: 'customer' };

/** What Odoo itself words otherwise: partner and products are looked for before anything is written, and named as agents name them. */
export async function checkLinks(records: OdooRecords, kind: Kind, values: Values): Promise<void> {
  const role = ROLES[kind];
  if (role) await checkPartner(records, role, values.partner_id);
  if (kind === 'production_order') await checkProducts(records, [values.product_id], () => '/product');
  const lines = Array.isArray(values.order_line) ? (values.order_line as [number, number, Values][]) : [];
  const products = lines.map(([, , line]) => line?.product_id);
  await checkProducts(records, products, (at) => `/line_items/${at}/product`);
}

async function checkPartner(records: OdooRecords, role: 'supplier' | 'customer', id: unknown): Promise<void> {
  const found = await records.raw(role, [['id', '=', numberOf(id)]], 1);
  if (found.length === 0) throw notFound(`/${role}`, String(id));
}

async function checkProducts(records: OdooRecords, wanted: readonly unknown[], pathOf: (at: number) => string): Promise<void> {
  if (wanted.length === 0) return;
  const ids = wanted.map(numberOf);
  const known = new Set((await records.raw('product', [['id', 'in', ids]], ids.length)).map(({ id }) => id));
  const at = ids.findIndex((id) => !known.has(id));
  if (at >= 0) throw notFound(pathOf(at), String(wanted[at]));
}
