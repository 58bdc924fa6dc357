import { totalOf } from '../hermes/amounts.js';
import type { Kind, Values } from '../hermes/port.js';
import { conflict, refused } from '../hermes/refusal.js';
import type { LedgerRecord } from './ledger-state.js';

interface Line {
  product: string;
  quantity: number;
  unit_price: string;
}

/** A record after an update. `line` and `quantity` change one line of an order. */
export function updated(kind: Kind, before: LedgerRecord, { line, ...values }: Values): LedgerRecord {
  if (line === undefined) return { ...before, fields: counted(kind, { ...before.fields, ...values }) };
  if (before.status !== 'draft')
    throw conflict('state_forbids', `the ${kind} is ${before.status}: only a draft changes its lines`, { status: before.status });
  const lines = before.fields.line_items as Line[];
  const changed = lines[Number(line) - 1];
  if (!changed) throw refused('/line', 'not_found', `${String(line)} does not exist: the order has ${lines.length} lines`);
  const line_items = lines.with(Number(line) - 1, { ...changed, quantity: values.quantity as number });
  return { ...before, fields: { ...before.fields, line_items, total: totalOf(line_items) } };
}

/** What is available of a stock follows from what is there. */
function counted(kind: Kind, fields: Record<string, unknown>): Record<string, unknown> {
  return kind === 'stock' ? { ...fields, available: Number(fields.on_hand) - Number(fields.reserved ?? 0) } : fields;
}
