import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { question, request } from './ledger-request.js';
import type { LedgerSession } from './ledger-session.js';
import { conflict, ledgerTraits, notFound, otherInputs, reference } from './ledger-shapes.js';

const name = 'ledger_set_price';
const input = z.strictObject({ sku: reference, price_cents: z.int().min(0).max(100_000_000) });
const output = z.strictObject({ sku: reference, price_cents: z.int(), previous_cents: z.int() });
type Input = z.output<typeof input>;
type Output = z.output<typeof output>;

type Change = Output & { previously_by: string | null; reverted_by: string | null };
type Price = { price_cents: number; priced_by: string | null };

const changeOf = (session: LedgerSession, key: string): Promise<Change | undefined> =>
  session.row<Change>(
    'SELECT sku, price_cents, previous_cents, previously_by, reverted_by FROM price_changes WHERE tenant_id = $1 AND key = $2',
    [session.ctx.tenant_id, key],
  );
const priceOf = (session: LedgerSession, sku: string): Promise<Price | undefined> =>
  session.row<Price>('SELECT price_cents, priced_by FROM articles WHERE tenant_id = $1 AND sku = $2 FOR UPDATE', [
    session.ctx.tenant_id,
    sku,
  ]);
const place = (session: LedgerSession, sku: string, price_cents: number, priced_by: string | null) =>
  session.rows('UPDATE articles SET price_cents = $3, priced_by = $4 WHERE tenant_id = $1 AND sku = $2', [
    session.ctx.tenant_id,
    sku,
    price_cents,
    priced_by,
  ]);
const outputOf = ({ sku, price_cents, previous_cents }: Change): Output => ({ sku, price_cents, previous_cents });

/** Sets a state. Its system is asked about a lost answer; the undo restores the previous price only while the price is still its own. */
export const setPrice = defineTool({
  ...ledgerTraits,
  name,
  title: 'Set a price',
  description: 'For tests: sets the price of an article. An undo restores the previous price, unless somebody changed it since.',
  effect_class: 'commit_low',
  reversibility: 'reversible',
  idempotency: { discriminating: ['sku', 'price_cents'] },
  resources: [{ name: 'price:{/sku}', effect: 'replaces' }],
  settle_ms: 500,
  input,
  output,
  run: (inputs, ctx) =>
    request(ctx, { tool: name, action: 'run', key: ctx.idempotency_key, inputs }, (session) =>
      session.transaction(async () => {
        const change = await changeOf(session, ctx.idempotency_key);
        return change ? again(inputs, change) : set(session, inputs);
      }),
    ),
  reconcile: (inputs, ctx) =>
    question(ctx, { tool: name, action: 'reconcile', key: ctx.idempotency_key, inputs }, async (session) => {
      const change = await changeOf(session, ctx.idempotency_key);
      return change ? { kind: 'happened', output: outputOf(change) } : { kind: 'did_not_happen' };
    }),
  verify: (inputs, _output, ctx) =>
    question(ctx, { tool: name, action: 'verify', key: ctx.idempotency_key, inputs }, async (session) => {
      const price = await priceOf(session, inputs.sku);
      return price?.priced_by === ctx.idempotency_key
        ? { kind: 'verified' }
        : { kind: 'contradicted', why: `the price of ${inputs.sku} is not the one that this run set` };
    }),
  compensate: ({ idempotency_key: key, inputs }, ctx) =>
    request(ctx, { tool: name, action: 'compensate', key, inputs }, (session) => session.transaction(() => restore(session, key))),
});

function again(inputs: Input, change: Change): Output {
  if (change.sku !== inputs.sku || change.price_cents !== inputs.price_cents) throw otherInputs();
  if (change.reverted_by !== null) throw conflict('the price change of this key was undone');
  return outputOf(change);
}

async function set(session: LedgerSession, { sku, price_cents }: Input): Promise<Output> {
  const { tenant_id, idempotency_key: key } = session.ctx;
  const before = await priceOf(session, sku);
  if (!before) throw notFound(`there is no article ${sku}`);
  await session.rows(
    'INSERT INTO price_changes (tenant_id, key, sku, price_cents, previous_cents, previously_by) VALUES ($1, $2, $3, $4, $5, $6)',
    [tenant_id, key, sku, price_cents, before.price_cents, before.priced_by],
  );
  await place(session, sku, price_cents, key);
  return { sku, price_cents, previous_cents: before.price_cents };
}

async function restore(session: LedgerSession, key: string) {
  const { tenant_id, idempotency_key } = session.ctx;
  const change = await changeOf(session, key);
  if (!change) throw notFound('there is no price change of this key');
  const { sku, previous_cents, previously_by } = change;
  const answer = { sku, price_cents: previous_cents };
  if (change.reverted_by !== null) return answer;
  const now = await priceOf(session, sku);
  if (now?.priced_by !== key || now.price_cents !== change.price_cents) throw conflict(`the price of ${sku} was changed since`);
  await place(session, sku, previous_cents, previously_by);
  await session.rows('UPDATE price_changes SET reverted_by = $3 WHERE tenant_id = $1 AND key = $2', [tenant_id, key, idempotency_key]);
  return answer;
}
