import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { question, request } from './ledger-request.js';
import type { LedgerSession } from './ledger-session.js';
import { conflict, ledgerTraits, notFound, otherInputs, reference } from './ledger-shapes.js';

const name = 'ledger_reserve';
const input = z.strictObject({ order_id: reference, sku: reference, quantity: z.int().min(1).max(1_000) });
const output = z.strictObject({
  reservation_id: reference,
  sku: reference,
  quantity: z.int(),
  /** In stock after this reservation. */
  available: z.int(),
});
type Input = z.output<typeof input>;
type Output = z.output<typeof output>;

type Row = { order_id: string; sku: string; quantity: number; available_after: number; released_by: string | null };
const columns = 'order_id, sku, quantity, available_after, released_by';

const rowOf = (session: LedgerSession, key: string): Promise<Row | undefined> =>
  session.row<Row>(`SELECT ${columns} FROM reservations WHERE tenant_id = $1 AND key = $2 FOR UPDATE`, [session.ctx.tenant_id, key]);
const outputOf = (key: string, { sku, quantity, available_after }: Row): Output => ({
  reservation_id: key,
  sku,
  quantity,
  available: available_after,
});

/** Reserves stock, once a key. The system takes the key, can be asked about it, and releases the reservation. */
export const reserve = defineTool({
  ...ledgerTraits,
  name,
  title: 'Reserve stock',
  description: 'For tests: takes pieces of an article out of the stock for an order, once per key. An undo puts them back.',
  effect_class: 'commit_low',
  reversibility: 'reversible',
  idempotency: { discriminating: ['order_id', 'sku', 'quantity'] },
  resources: [{ name: 'stock:{/sku}', effect: 'adds' }],
  takes_key: true,
  settle_ms: 500,
  input,
  output,
  run: (inputs, ctx) =>
    request(ctx, { tool: name, action: 'run', key: ctx.idempotency_key, inputs }, (session) =>
      session.transaction(async () => {
        const row = await rowOf(session, ctx.idempotency_key);
        return row ? again(ctx.idempotency_key, inputs, row) : take(session, inputs);
      }),
    ),
  reconcile: (inputs, ctx) =>
    question(ctx, { tool: name, action: 'reconcile', key: ctx.idempotency_key, inputs }, async (session) => {
      const row = await rowOf(session, ctx.idempotency_key);
      return row ? { kind: 'happened', output: outputOf(ctx.idempotency_key, row) } : { kind: 'did_not_happen' };
    }),
  verify: (inputs, _output, ctx) =>
    question(ctx, { tool: name, action: 'verify', key: ctx.idempotency_key, inputs }, async (session) => {
      const row = await rowOf(session, ctx.idempotency_key);
      if (row?.released_by === null) return { kind: 'verified' };
      return { kind: 'contradicted', why: row ? 'the reservation was released' : 'there is no reservation of this key' };
    }),
  compensate: ({ idempotency_key: key, inputs }, ctx) =>
    request(ctx, { tool: name, action: 'compensate', key, inputs }, (session) => session.transaction(() => release(session, key))),
});

function again(key: string, inputs: Input, row: Row): Output {
  if (row.order_id !== inputs.order_id || row.sku !== inputs.sku || row.quantity !== inputs.quantity) throw otherInputs();
  if (row.released_by !== null) throw conflict('the reservation of this key was released');
  return outputOf(key, row);
}

async function take(session: LedgerSession, { order_id, sku, quantity }: Input): Promise<Output> {
  const { tenant_id, idempotency_key: key } = session.ctx;
  const left = await session.row<{ available: number }>(
    'UPDATE articles SET available = available - $3 WHERE tenant_id = $1 AND sku = $2 AND available >= $3 RETURNING available',
    [tenant_id, sku, quantity],
  );
  if (!left) throw await refusal(session, sku);
  await session.rows(
    'INSERT INTO reservations (tenant_id, key, order_id, sku, quantity, available_after) VALUES ($1, $2, $3, $4, $5, $6)',
    [tenant_id, key, order_id, sku, quantity, left.available],
  );
  return { reservation_id: key, sku, quantity, available: left.available };
}

async function refusal(session: LedgerSession, sku: string) {
  const known = await session.row('SELECT 1 FROM articles WHERE tenant_id = $1 AND sku = $2', [session.ctx.tenant_id, sku]);
  return known ? conflict(`there is not enough of ${sku} in stock`) : notFound(`there is no article ${sku}`);
}

async function release(session: LedgerSession, key: string) {
  const { tenant_id, idempotency_key } = session.ctx;
  const row = await rowOf(session, key);
  if (!row) throw notFound('there is no reservation of this key');
  const answer = { reservation_id: key, released: true };
  if (row.released_by !== null) return answer;
  const shipped = await session.row('SELECT 1 FROM shipments WHERE tenant_id = $1 AND reservation_id = $2', [tenant_id, key]);
  if (shipped) throw conflict('the reserved goods were shipped');
  await session.rows('UPDATE reservations SET released_by = $3 WHERE tenant_id = $1 AND key = $2', [tenant_id, key, idempotency_key]);
  await session.rows('UPDATE articles SET available = available + $3 WHERE tenant_id = $1 AND sku = $2', [
    tenant_id,
    row.sku,
    row.quantity,
  ]);
  return answer;
}
