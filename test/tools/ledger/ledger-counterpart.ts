import type { Counterpart } from '@countersign/tool-kit/eval-pack';
import type { Ledger } from './ledger.js';

/** A reservation that stands before any tool has run, for what ships it. */
export const SEEDED_KEYS = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;

const STATE = `SELECT
  (SELECT json_agg(json_build_array(sku, available, price_cents) ORDER BY sku) FROM articles WHERE tenant_id = $1) AS articles,
  (SELECT json_agg(json_build_array(account, balance_cents) ORDER BY account) FROM accounts WHERE tenant_id = $1) AS accounts,
  (SELECT json_agg(shipped ORDER BY shipped::text) FROM (SELECT json_build_array(order_id, count(*)) AS shipped
    FROM shipments WHERE tenant_id = $1 GROUP BY order_id) s) AS shipments`;

/** The ledger as the counterpart of the contract tests: two tenants with equal stock, of which the other one is always there. */
export function ledgerCounterpart(ledger: () => Ledger): Counterpart {
  return {
    prepare: async () => {
      await ledger().empty();
      for (const tenant_id of ['test', 'other']) await furnish(ledger(), tenant_id);
    },
    clean: async () => {
      await ledger().empty();
      await furnish(ledger(), 'other');
    },
    settings: () => ledger().settings,
    snapshot: async () => (await ledger().rows(STATE, ['test']))[0],
  };
}

async function furnish(ledger: Ledger, tenant_id: string): Promise<void> {
  await ledger.addArticle('chair', 100, 4_900, tenant_id);
  await ledger.addArticle('slow', 100, 4_900, tenant_id);
  await ledger.addAccount('ann', 1_000_000, 'EUR', tenant_id);
  await ledger.addAccount('slow', 1_000_000, 'EUR', tenant_id);
  for (const key of SEEDED_KEYS)
    await ledger.rows(
      `INSERT INTO reservations (tenant_id, key, order_id, sku, quantity, available_after) VALUES ($1, $2, 'o-1', 'chair', 1, 99)`,
      [tenant_id, key],
    );
}
