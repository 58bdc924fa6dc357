import { parseCallId, uuidv7 } from '@countersign/contracts';
import { callTables, PgliteStore } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FactsWorld, NOW } from '../testing/facts-world.js';

const CALLS = 100_000;
const BATCH = 5_000;
const ROUNDS = 50;
/** The table of the live build. */
const TABLE = `calls_v${callTables.version}`;
const ALL = { clearances: ['*'] };
/** The bound for one reading; a machine under load gets three times as long. */
const P50_MS = 20;
let store: PgliteStore;
let world: FactsWorld;

beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
  world = new FactsWorld(store);
  world.register();
  const template = await world.call({ inputs: { to: 'acme', amount: 10 } });
  const { uuid } = parseCallId(template) as { uuid: string };
  for (let from = 1; from < CALLS; from += BATCH)
    await store.query({
      text: `INSERT INTO ${TABLE} (call_uuid, partition, tenant_id, case_id, run_id, tool, status, waits_approval, requested_at_ms, hlc, state)
             SELECT gen_random_uuid(), partition, tenant_id, NULL, NULL, CASE WHEN n % 4 = 0 THEN tool ELSE 'other_' || n % 40 END,
               CASE WHEN n % 10 = 0 THEN 'denied' ELSE status END, false, $1::int8 - n * 20000::int8, hlc, state
             FROM calls, generate_series($2::int, $3::int) n WHERE call_uuid = $4::uuid`,
      params: [NOW, from, from + BATCH - 1, uuid],
    });
  await store.query({ text: `ANALYZE ${TABLE}`, params: [] });
}, 240_000);
afterAll(() => store.close());

async function median(what: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    await what();
    took.push(performance.now() - started);
  }
  return took.sort((a, b) => a - b)[ROUNDS >> 1] as number;
}

test('the facts of one request cost a bounded time among 100,000 calls', async () => {
  const row = await world.waiting({ inputs: { to: `globex-${uuidv7(NOW)}`, amount: 10 } });
  const facts = await world.facts.of(row, ALL);
  expect(facts.amount?.last_30_days).toMatchObject({ count: 200, complete: false });
  expect(facts.unusual.map(({ text }) => text)[0]).toContain('among the newest 200');
  const p50_ms = await median(() => world.facts.of(row, ALL));
  const sentence_ms = await median(async () => world.facts.sentence(row, ALL));
  process.stdout.write(
    `facts of one request among ${CALLS} calls: ${p50_ms.toFixed(1)} ms, sentence ${(sentence_ms * 1000).toFixed(0)} µs (median)\n`,
  );
  expect(p50_ms).toBeLessThan(3 * P50_MS);
});
