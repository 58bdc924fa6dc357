import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { question, request } from './ledger-request.js';
import type { LedgerSession } from './ledger-session.js';
import { amountCents, conflict, currency, ledgerTraits, notFound, otherInputs, reference } from './ledger-shapes.js';

const name = 'ledger_charge';
const input = z.strictObject({ order_id: reference, account: reference, amount_cents: amountCents, currency });
const output = z.strictObject({
  payment_id: reference,
  amount_cents: z.int(),
  currency,
  /** Of the account, after this payment. */
  balance_cents: z.int(),
});
type Input = z.output<typeof input>;
type Output = z.output<typeof output>;

type Row = Input & { balance_after: string; refunded: boolean };
// A bigint arrives as text.
const PAYMENT = `SELECT p.order_id, p.account, p.amount_cents, p.currency, p.balance_after,
  EXISTS (SELECT FROM refunds r WHERE r.tenant_id = p.tenant_id AND r.payment_key = p.key) AS refunded
FROM payments p WHERE p.tenant_id = $1 AND p.key = $2`;

const rowOf = (session: LedgerSession, key: string): Promise<Row | undefined> => session.row<Row>(PAYMENT, [session.ctx.tenant_id, key]);
const outputOf = (key: string, { amount_cents, currency: unit, balance_after }: Row): Output => ({
  payment_id: key,
  amount_cents,
  currency: unit,
  balance_cents: Number(balance_after),
});

/** A payment, once a key. Its undo is a refund: a row of its own, so that both stay in the books. */
export const charge = defineTool({
  ...ledgerTraits,
  name,
  title: 'Charge an account',
  description: 'For tests: takes an amount off the balance of an account for an order, once per key. An undo refunds it.',
  effect_class: 'commit_low',
  reversibility: 'semantic',
  idempotency: { discriminating: ['order_id', 'account', 'amount_cents', 'currency'] },
  resources: [{ name: 'account:{/account}', effect: 'adds' }],
  takes_key: true,
  settle_ms: 500,
  input,
  output,
  run: (inputs, ctx) =>
    request(ctx, { tool: name, action: 'run', key: ctx.idempotency_key, inputs }, (session) =>
      session.transaction(async () => {
        const row = await rowOf(session, ctx.idempotency_key);
        return row ? again(ctx.idempotency_key, inputs, row) : pay(session, inputs);
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
      if (row && !row.refunded) return { kind: 'verified' };
      return { kind: 'contradicted', why: row ? 'the payment was refunded' : 'there is no payment of this key' };
    }),
  compensate: ({ idempotency_key: key, inputs }, ctx) =>
    request(ctx, { tool: name, action: 'compensate', key, inputs }, (session) => session.transaction(() => refund(session, key))),
});

function again(key: string, inputs: Input, row: Row): Output {
  const fields = ['order_id', 'account', 'amount_cents', 'currency'] as const;
  if (fields.some((field) => row[field] !== inputs[field])) throw otherInputs();
  if (row.refunded) throw conflict('the payment of this key was refunded');
  return outputOf(key, row);
}

async function pay(session: LedgerSession, inputs: Input): Promise<Output> {
  const { order_id, account, amount_cents, currency: unit } = inputs;
  const { tenant_id, idempotency_key: key } = session.ctx;
  const paid = await session.row<{ balance_cents: string }>(
    `UPDATE accounts SET balance_cents = balance_cents - $3 WHERE tenant_id = $1 AND account = $2 AND currency = $4 AND balance_cents >= $3
     RETURNING balance_cents`,
    [tenant_id, account, amount_cents, unit],
  );
  if (!paid) throw await refusal(session, inputs);
  await session.rows(
    'INSERT INTO payments (tenant_id, key, order_id, account, amount_cents, currency, balance_after) VALUES ($1, $2, $3, $4, $5, $6, $7)',
    [tenant_id, key, order_id, account, amount_cents, unit, paid.balance_cents],
  );
  return { payment_id: key, amount_cents, currency: unit, balance_cents: Number(paid.balance_cents) };
}

async function refusal(session: LedgerSession, { account, currency: unit }: Input) {
  const known = await session.row<{ currency: string }>('SELECT currency FROM accounts WHERE tenant_id = $1 AND account = $2', [
    session.ctx.tenant_id,
    account,
  ]);
  if (!known) return notFound(`there is no account ${account}`);
  return conflict(known.currency === unit ? `the balance of ${account} is too low` : `the account ${account} is in ${known.currency}`);
}

async function refund(session: LedgerSession, payment_key: string) {
  const { tenant_id, idempotency_key: key } = session.ctx;
  const row = await rowOf(session, payment_key);
  if (!row) throw notFound('there is no payment of this key');
  const { account, amount_cents, currency: unit } = row;
  const answer = { payment_id: payment_key, refunded_cents: amount_cents, currency: unit };
  if (row.refunded) return answer;
  await session.rows('INSERT INTO refunds (tenant_id, payment_key, key, amount_cents, currency) VALUES ($1, $2, $3, $4, $5)', [
    tenant_id,
    payment_key,
    key,
    amount_cents,
    unit,
  ]);
  await session.rows('UPDATE accounts SET balance_cents = balance_cents + $3 WHERE tenant_id = $1 AND account = $2', [
    tenant_id,
    account,
    amount_cents,
  ]);
  return answer;
}
