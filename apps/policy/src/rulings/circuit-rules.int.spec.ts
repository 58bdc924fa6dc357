import { sha256Hex } from '@countersign/contracts';
import { aMeta } from '@countersign/domain/testing/ruled-partition';
import { changeCircuits, PgliteStore, type Statement } from '@countersign/store';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { LimitedRig } from '../testing/limited-rig.js';

const by = { kind: 'user' as const, id: 'root', roles: ['admin'] };
const KEY = { tenant_id: aMeta(null).tenant_id, tool: 'note', version: '1.0.0' };

let reads = 0;
let store: PgliteStore;
let at: LimitedRig;
beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
  const query = store.query.bind(store);
  store.query = (statement: Statement) => {
    if (statement.name === 'circuits_for') reads++;
    return query(statement);
  };
});
afterAll(() => store.close());
beforeEach(async () => {
  reads = 0;
  await store.query({ text: 'TRUNCATE circuits', params: [] });
  at = await LimitedRig.open(store);
});
afterEach(() => at.rig.close());

const opened = (open_for_ms: number) => {
  const now_ms = Date.now();
  const after = { slots: '[]', failing_since_ms: now_ms, openings: 1, opened_at_ms: now_ms, open_until_ms: now_ms + open_for_ms };
  return changeCircuits(store, [{ ...KEY, revision: null, after }]);
};

async function rules(...all: object[]): Promise<void> {
  const bundle_json = JSON.stringify({ rules: all });
  const bundle = { version: 'v1', bundle_json, digest: sha256Hex(bundle_json), semantics: 2, simulation_digest: null, published_at_ms: 1 };
  await at.rig.put('policy_bundle_published', { meta: aMeta(null), by, ...bundle });
  await at.rig.put('policy_bundle_activated', { meta: aMeta(null), by, version: 'v1', shadow_version: null, activated_at_ms: 1 });
  await new Promise((done) => setTimeout(done, 50));
}

const when = 'history.circuit == "open"';
const ruling = async () => at.ruling(await at.rig.request('note'));

test('without a rule about circuits an open circuit changes nothing, and its row is not read', async () => {
  await opened(60_000);
  await rules({ id: 'read', tools: { names: ['note'] }, effect: 'allow', when: 'context.purpose == "x"' });
  expect(await ruling()).toMatchObject({ effect: 'allow' });
  expect(reads).toBe(0);
});

test('a rule can deny a call while the circuit of its version is open; the ruling holds what the rule saw', async () => {
  await rules({ id: 'broken', tools: { names: ['note'] }, effect: 'deny', when });
  expect(await ruling()).toMatchObject({ effect: 'allow', explanation: { history_json: '{"circuit":"closed"}' } });
  await opened(60_000);
  expect(await ruling()).toMatchObject({ effect: 'deny', rule: 'broken', explanation: { history_json: '{"circuit":"open"}' } });
  expect(await at.ruling(await at.rig.request('pay'))).toMatchObject({ explanation: { matched: [], history_json: null } });
});

test('a rule can let a call wait until the circuit is no longer open', async () => {
  await opened(1_500);
  await rules({
    id: 'wait',
    tools: { names: ['note'] },
    effect: 'defer',
    when,
    defer: { until: `!(${when})`, timeout_ms: 60_000, on_timeout: 'deny' },
  });
  const call_id = await at.rig.request('note');
  expect(await at.ruling(call_id)).toMatchObject({ effect: 'defer', rule: 'wait', explanation: { history_json: '{"circuit":"open"}' } });
  expect(await at.rulingOf(call_id, 2)).toMatchObject([{ effect: 'allow', explanation: { history_json: '{"circuit":"half_open"}' } }]);
});
