import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { question, request } from './ledger-request.js';
import type { LedgerSession } from './ledger-session.js';
import { conflict, ledgerTraits, notFound, reference } from './ledger-shapes.js';

const name = 'ledger_ship';
const input = z.strictObject({
  order_id: reference,
  reservation_id: reference,
  address: z.string().regex(/^[A-Za-z0-9 .,/-]{1,200}$/),
});
const output = z.strictObject({ shipment_id: reference, order_id: reference });
type Input = z.output<typeof input>;

/**
 * Ships reserved goods: nobody brings them back, and the carrier takes no key, so that a second run is a second shipment. It can be asked
 * whether a key was shipped.
 */
export const ship = defineTool({
  ...ledgerTraits,
  name,
  title: 'Ship an order',
  description: 'For tests: hands the reserved goods of an order to a carrier. It cannot be undone, and sent twice it ships twice.',
  effect_class: 'commit_low',
  reversibility: 'irreversible',
  idempotency: { discriminating: ['order_id', 'reservation_id', 'address'] },
  resources: [{ name: 'shipment:{/order_id}', effect: 'adds' }],
  settle_ms: 500,
  input,
  output,
  run: (inputs, ctx) =>
    request(ctx, { tool: name, action: 'run', key: ctx.idempotency_key, inputs }, (session) =>
      session.transaction(() => hand(session, inputs)),
    ),
  reconcile: (inputs, ctx) =>
    question(ctx, { tool: name, action: 'reconcile', key: ctx.idempotency_key, inputs }, async (session) => {
      const { tenant_id, idempotency_key: key } = ctx;
      const shipped = await session.row('SELECT 1 FROM shipments WHERE tenant_id = $1 AND key = $2', [tenant_id, key]);
      return shipped ? { kind: 'happened', output: { shipment_id: key, order_id: inputs.order_id } } : { kind: 'did_not_happen' };
    }),
});

async function hand(session: LedgerSession, { order_id, reservation_id, address }: Input) {
  const { tenant_id, idempotency_key: key } = session.ctx;
  const reserved = await session.row<{ released_by: string | null }>(
    'SELECT released_by FROM reservations WHERE tenant_id = $1 AND key = $2 AND order_id = $3 FOR UPDATE',
    [tenant_id, reservation_id, order_id],
  );
  if (!reserved) throw notFound(`there is no reservation ${reservation_id} of the order ${order_id}`);
  if (reserved.released_by !== null) throw conflict('the reservation was released');
  await session.rows('INSERT INTO shipments (tenant_id, key, order_id, reservation_id, address) VALUES ($1, $2, $3, $4, $5)', [
    tenant_id,
    key,
    order_id,
    reservation_id,
    address,
  ]);
  return { shipment_id: key, order_id };
}
