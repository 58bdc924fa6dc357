import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Statement, Store } from '../store.js';
import { claimOf, leaseOf } from './arbiter.suite.js';
import { claimStatement } from './claim.js';
import { foldEndsStatements } from './fold-ends.js';
import { planClaim } from './planned-claim.js';
import { resourceClaimStatement } from './resource-claim-sql.js';
import { rowsOfKeysStatement } from './rows.js';
import { SeenGenerations } from './seen-generations.js';
import { takeOverStatement } from './take-over.js';
import { tombstonesStatement } from './tombstones.js';

const FILL = `INSERT INTO tool_executions (key, call_uuid, digest8, source_offset, end_offset, epoch, ended_at_s, attempt, partition, state, source_topic, tenant_id, lane)
SELECT gen_random_uuid(), gen_random_uuid(), n, n, n, 1, 0, 1, n % 4, 2, 0, 'acme', 'shared' FROM generate_series(1, 50000) n`;

async function planOf(store: Store, { text, params }: Statement): Promise<string> {
  const rows = await store.query<{ 'QUERY PLAN': string }>({ text: `EXPLAIN (COSTS OFF) ${text}`, params });
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

/** With 50,000 rows every batch must find its rows by key: other plans made PGlite ten times slower. Part of describeStore. */
export function describePlans(store: () => Store): void {
  test('with 50,000 rows no batched statement scans the whole table, with or without statistics', async () => {
    const epoch = await leaseOf(store());
    const claims = Array.from({ length: 64 }, () => claimOf());
    const withApproval = claims.map((claim) => ({ ...claim, approval_id: randomUUID() }));
    const ends = claims.map(({ key, call_uuid }) => ({
      key,
      attempt: 1,
      call_uuid,
      state: 2 as const,
      end_offset: 1,
      ended_at_s: 1,
      resources: 'none' as const,
    }));
    const plans = claims.map((one) =>
      planClaim(
        { ...one, touches: [{ resource: randomUUID(), exact: true, replaces: true }], settle_ms: 1, forced: false },
        new SeenGenerations(),
        1,
      ),
    );
    const graves = claims.map(({ state: _, approval_id: __, ...claim }) => ({ ...claim, ended_at_s: 1 }));
    const statements = [
      claimStatement(epoch, claims),
      claimStatement(epoch, withApproval),
      ...foldEndsStatements(ends),
      ...foldEndsStatements(ends.map((end) => ({ ...end, resources: 'of_row' }))),
      ...foldEndsStatements(ends.map((end) => ({ ...end, resources: { resource: randomUUID(), flags: 3, generation: 1 } }))),
      resourceClaimStatement(epoch, plans),
      resourceClaimStatement(
        epoch,
        plans.map((plan) => ({ ...plan, claim: { ...plan.claim, attempt: 2 } })),
      ),
      tombstonesStatement(epoch, graves),
      takeOverStatement(epoch, []),
      rowsOfKeysStatement(claims.map(({ key }) => key)),
    ];
    await store().query({ text: FILL, params: [] });
    for (const analysed of [false, true]) {
      if (analysed) await store().query({ text: 'ANALYZE tool_executions', params: [] });
      for (const statement of statements) {
        const plan = await planOf(store(), statement);
        expect(plan).toMatch(/Index (Only )?Scan (using|on) tool_executions_pkey/);
        expect(plan).not.toMatch(/Seq Scan on tool_executions|tool_executions_epoch|Hash Join|Merge Join/);
      }
    }
  });
}
