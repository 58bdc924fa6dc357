import { SEALED } from '@countersign/contracts';
import { PgliteStore } from '@countersign/store';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { FactsWorld, NOW, payContract } from '../testing/facts-world.js';

const ALL = { clearances: ['*'] };
const DAY_MS = 86_400_000;
let store: PgliteStore;
let world: FactsWorld;
beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
}, 60_000);
afterAll(() => store.close());
beforeEach(async () => {
  for (const table of ['calls', 'approvals']) await store.query({ text: `DELETE FROM ${table}`, params: [] });
  world = new FactsWorld(store);
  world.register();
});

const codes = async (row: Awaited<ReturnType<FactsWorld['waiting']>>, reader = ALL) =>
  (await world.facts.of(row, reader)).unusual.map(({ code }) => code);

test('a recipient is new until a call to it has had an effect; a denied or waiting call does not count', async () => {
  await world.call({ inputs: { to: 'acme', amount: 5 } });
  await world.waiting({ inputs: { to: 'globex', amount: 5 } });
  const row = await world.waiting({ inputs: { to: 'globex', amount: 5 } });
  expect(await codes(row)).toEqual(['first_time_for_resource', 'agent_new_to_tool']);
  await world.call({ inputs: { to: 'Globex', amount: 5 } });
  expect(await codes(row)).toEqual(['agent_new_to_tool']);
});

test('two tenants never see the history of each other', async () => {
  await world.call({ inputs: { to: 'acme', amount: 900 }, tenant_id: 'rival' });
  const row = await world.waiting({ inputs: { to: 'acme', amount: 5 } });
  const facts = await world.facts.of(row, ALL);
  expect(facts.unusual.map(({ code }) => code)).toEqual(['first_use_of_tool', 'agent_new_to_tool']);
  expect(facts.amount?.last_30_days).toEqual({ count: 0, median: null, maximum: null, complete: true });
  expect(facts.similar).toEqual([]);
});

test('amounts are compared with 30 days, and only with calls that the reader may see', async () => {
  await world.call({ inputs: { to: 'acme', amount: 10 } });
  await world.call({ inputs: { to: 'acme', amount: 20 }, markings: ['hr'] });
  await world.call({ inputs: { to: 'acme', amount: 99 }, at_ms: NOW - 31 * DAY_MS });
  const row = await world.waiting({ inputs: { to: 'acme', amount: 15 } });
  const seen = await world.facts.of(row, { clearances: [] });
  expect(seen.amount?.last_30_days).toEqual({ count: 1, median: 10, maximum: 10, complete: false });
  expect(seen.unusual.map(({ code }) => code)).toContain('amount_above_maximum');
  const cleared = await world.facts.of(row, ALL);
  expect(cleared.amount?.last_30_days).toEqual({ count: 2, median: 15, maximum: 20, complete: true });
  expect(cleared.unusual.map(({ code }) => code)).not.toContain('amount_above_maximum');
});

test('a reader without a clearance gets neither inputs nor recipients nor the amount of the call', async () => {
  await world.call({ inputs: { to: 'acme', amount: 10 } });
  const row = await world.waiting({ inputs: { to: 'secret-lab', amount: 4711 }, markings: ['hr'] });
  const facts = await world.facts.of(row, { clearances: [] });
  const text = JSON.stringify([facts, world.facts.sentence(row, { clearances: [] })]);
  expect(text).not.toContain('secret-lab');
  expect(text).not.toContain('4711');
  expect(world.facts.sentence(row, { clearances: [] })).toEqual({ text: 'Pay', from: 'withheld' });
});

test('personal data stays sealed: no sealed, erased or opened value is in a fact', async () => {
  const sealed = `${SEALED}AAAABBBB`;
  await world.call({ inputs: { to: sealed, amount: 10 } });
  await world.call({ inputs: `${SEALED}WHOLE` });
  const row = await world.waiting({ inputs: { to: `${SEALED}CCCC`, amount: sealed } });
  const facts = await world.facts.of(row, ALL);
  expect(JSON.stringify(facts)).not.toMatch(/sealed:v1|AAAABBBB|CCCC/i);
  expect(facts.amount).toBeNull();
  expect(world.facts.sentence(row, ALL)?.text).toBe('Pay (personal data) to (personal data)');
  const erased = await world.waiting({ inputs: { to: 'erased', amount: 5 } });
  expect(world.facts.sentence(erased, ALL)?.text).toBe('Pay 5 to (personal data)');
  expect(await codes(erased)).not.toContain('first_time_for_resource');
});

test('a mapping, an edit, a new version and a new contract are facts of the request', async () => {
  await world.call({ inputs: { to: 'acme', amount: 10 }, contract: payContract({ version: '1.1.0' }) });
  const mapped = { mapping_version: 4, inputs_json: '{"to":"ACME-77","amount":10}', inputs_digest: 'x', permissive: false, warnings: [] };
  const row = await world.waiting({ inputs: { to: 'acme', amount: 10 }, more: { mapped } });
  expect(world.facts.sentence(row, ALL)?.text).toBe('Pay 10 to “ACME-77”');
  expect(await codes(row)).toEqual(['inputs_mapped', 'first_time_for_resource', 'agent_new_to_tool', 'version_new']);
  await world.call({ inputs: { to: 'acme-77', amount: 10 }, contract: payContract({ timeout_ms: 7 }) });
  expect(await codes(row)).toEqual(['inputs_mapped', 'agent_new_to_tool', 'contract_changed']);
});

test('a call of a tool that is not in the catalogue anymore has a sentence and no facts about its contract', async () => {
  const gone = payContract({ name: 'gone' });
  const row = await world.waiting({ inputs: { to: 'acme', amount: 10 }, contract: gone });
  expect(world.facts.sentence(row, ALL)).toEqual({ text: 'Run gone', from: 'withheld' });
  expect(await world.facts.of(row, ALL)).toMatchObject({ undo: null, amount: null });
});

test('similar requests say who decided, how and when; those of other rules are not similar', async () => {
  const approved = await world.waiting({ inputs: { to: 'acme', amount: 1 }, at_ms: NOW - 9000 });
  const other = await world.waiting({ inputs: { to: 'acme', amount: 2 }, at_ms: NOW - 8000 }, { rule: 'another' });
  for (const { approval_id } of [approved, other])
    await store.query({
      text: `UPDATE approvals SET end_kind = 'denied', ended_at_ms = $1, ended_by = 'ann', end_reason = $2 WHERE approval_id = $3`,
      params: [NOW - 7000, 'too <b>dear</b>\u202e', approval_id],
    });
  const row = await world.waiting({ inputs: { to: 'acme', amount: 1 } });
  expect((await world.facts.of(row, ALL)).similar).toEqual([
    {
      approval_id: approved.approval_id,
      call_id: approved.call_id,
      sentence: 'Pay 1 to “acme”',
      same_inputs: true,
      approval_status: 'denied',
      call_status: 'pending_approval',
      requested_at: new Date(NOW - 9000).toISOString(),
      decided_at: new Date(NOW - 7000).toISOString(),
      decided_by: ['ann'],
      reason: 'too \\u{3c}b\\u{3e}dear\\u{3c}/b\\u{3e}\\u{202e}',
    },
  ]);
});

test('inputs of 100,000 characters in earlier calls do not reach the facts', async () => {
  const huge = 'A'.repeat(100_000);
  for (let n = 0; n < 20; n++) await world.call({ inputs: { to: `${huge}${n}`, amount: 10 } });
  const row = await world.waiting({ inputs: { to: huge, amount: 10 } });
  expect(JSON.stringify(await world.facts.of(row, ALL)).length).toBeLessThan(5_000);
});
