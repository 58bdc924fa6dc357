import { caseHistory, countedVotes, listSagas, listSecurityEvents, PgliteStore, readSaga, type Sql } from '@countersign/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ViewFolder } from '../folding/view-folder.js';
import { batchesOf } from '../testing/batches-of.js';
import { SampleRecord } from '../testing/sample-record.js';
import { projections } from './index.js';

const history = new SampleRecord();
const of = { undone: '', stuck: '', granted: '', denied: '' };
let store: PgliteStore;

beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
  history.openCase('c1', 'Trip');
  history.call('allowed', 'c1');
  history.call('allowed', 'c1');
  of.granted = history.call('granted', null);
  of.denied = history.call('refused', null);
  of.undone = history.saga('c1', true);
  of.stuck = history.saga(null, false);
  history.refuse('3-0192f0c4-0000-7000-8000-000000000001');
  const sink = { warn: () => undefined, error: () => undefined };
  const folder = new ViewFolder({
    store,
    owner_id: 'me',
    projections,
    sink,
    pace: { min_ms: 1, max_ms: 1, per_call_ms: 0, calls_max: 100 },
  });
  await folder.assigned('shared', [0]);
  await folder.assigned('global', [0]);
  for (const batch of batchesOf(history.events)) await folder.fold(batch);
  await folder.close();
});
afterAll(() => store.close());

describe('sagas', () => {
  test('a saga that failed half-way shows its steps, its compensations and its end', async () => {
    const found = await readSaga(store, 'acme', of.undone);
    expect(found?.saga).toMatchObject({ status: 'compensated', definition: 'trip', failed_step_id: 'pay', case_id: 'c1' });
    expect(found?.steps.map(({ step_id, status, undo_state, undo_tool }) => [step_id, status, undo_state, undo_tool])).toEqual([
      ['book', 'succeeded', 'executed', 'unbook'],
      ['pay', 'failed', null, null],
    ]);
  });

  test('a failed undo shows the reason, and the saga waits for a person', async () => {
    const found = await readSaga(store, 'acme', of.stuck);
    expect(found?.saga.status).toBe('compensation_failed');
    expect(JSON.parse(found?.steps[0]?.undo_error as string)).toMatchObject({ code: 'PROVIDER_ERROR' });
    const listed = await listSagas(store, { tenant_id: 'acme', status: ['compensation_failed'], limit: 10 });
    expect(listed.items.map(({ saga_id }) => saga_id)).toEqual([of.stuck]);
    expect(await readSaga(store, 'other', of.stuck)).toBeUndefined();
  });

  test('its case shows its start, each compensation with its call, and its end', async () => {
    const page = await caseHistory(store, { tenant_id: 'acme', case_id: 'c1', limit: 100 });
    const steps = page.items.filter(({ type }) => type.startsWith('saga') || type.startsWith('compensation'));
    expect(steps.map(({ type }) => type)).toEqual(['saga_started', 'compensation_requested', 'compensation_executed', 'saga_ended']);
    expect(JSON.parse(steps[2]?.detail_json as string)).toMatchObject({ saga_id: of.undone, step_id: 'book', retry_count: 1 });
    expect(steps[1]?.call_id).toMatch(/^0-/);
    expect(steps[1]?.state).not.toBeNull();
    expect(JSON.stringify(steps.map(({ detail_json }) => detail_json))).not.toContain('inputs');
  });
});

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** Rows of a table that a query has read, as its plan counted them. */
function looked(node: PlanNode, table: string): number {
  const own = node['Relation Name']?.startsWith(table)
    ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    : 0;
  return own + (node.Plans ?? []).reduce((sum, plan) => sum + looked(plan, table), 0);
}

describe('a case of 10,000 calls', () => {
  test('a page of it reads only its own lines, at the start, in the middle and at the end', async () => {
    await store.query({
      text: `INSERT INTO case_history_v2 SELECT 'acme', 'large', n, ('0192f0c4-4444-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 0,
               'tool_call_pending', n, NULL, NULL, NULL FROM generate_series(1, 40000) n`,
      params: [],
    });
    await store.query({ text: 'ANALYZE case_history_v2', params: [] });
    const plans: PlanNode[] = [];
    const explained: Sql = {
      query: async (statement) => {
        const text = `EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF, FORMAT JSON) ${statement.text}`;
        const [row] = await store.query<{ 'QUERY PLAN': { Plan: PlanNode }[] | string }>({ text, params: statement.params });
        const plan = row?.['QUERY PLAN'];
        plans.push(((typeof plan === 'string' ? JSON.parse(plan) : plan) as { Plan: PlanNode }[])[0]?.Plan as PlanNode);
        return [];
      },
    };
    for (const at of [0, 20_000, 39_800]) {
      const after = { at, id: 'ffffffff-ffff-ffff-ffff-ffffffffffff:0' };
      await caseHistory(explained, { tenant_id: 'acme', case_id: 'large', limit: 100, after });
    }
    expect(plans.map((plan) => looked(plan, 'case_history'))).toEqual([101, 101, 101]);
  });
});

describe('approval quality', () => {
  const query = { tenant_id: 'acme', since_ms: 0, limit: 100 };

  test('a row for each approval request, none for other calls', async () => {
    const rows = await store.query<{ approval_id: string; looks: string }>({
      text: 'SELECT approval_id, looks::text FROM approval_quality ORDER BY 1',
      params: [],
    });
    expect(rows.map(({ approval_id }) => approval_id)).toEqual([`${of.granted}/1`, `${of.denied}/1`]);
    expect(JSON.parse(rows[0]?.looks as string)).toEqual({ anna: expect.any(Number) });
  });

  test('a counted vote is a decision, a denial too; a refused vote is none', async () => {
    const votes = await countedVotes(store, query);
    expect(votes.map(({ approval_id, voter_id, vote }) => [approval_id, voter_id, vote])).toEqual([
      [`${of.denied}/1`, 'anna', 'deny'],
      [`${of.granted}/1`, 'anna', 'approve'],
    ]);
    const denied = votes[0];
    expect(denied?.requested_at_ms).toBeLessThan(denied?.viewed_at_ms as number);
    expect(denied?.viewed_at_ms).toBeLessThan(denied?.voted_at_ms as number);
  });

  test('earlier decisions, those of another tenant, and those beyond the limit are not read', async () => {
    expect(await countedVotes(store, { ...query, limit: 1 })).toHaveLength(1);
    expect((await countedVotes(store, { ...query, since_ms: 2 })).map(({ vote }) => vote)).toEqual(['deny']);
    expect(await countedVotes(store, { ...query, tenant_id: 'other' })).toEqual([]);
  });
});

describe('security events', () => {
  test('show who, what and which call, of any partition, to their own tenant', async () => {
    const { items } = await listSecurityEvents(store, { tenant_id: 'acme', call_id: '3-0192f0c4-0000-7000-8000-000000000001', limit: 10 });
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ kind: 'resolution_refused', detail: 'not entitled', call_id: expect.stringMatching(/^3-/) });
    expect(JSON.parse(items[0]?.principal as string)).toMatchObject({ id: 'anna' });
    expect((await listSecurityEvents(store, { tenant_id: 'other', limit: 10 })).items).toEqual([]);
    expect((await listSecurityEvents(store, { tenant_id: 'acme', kind: 'nothing', limit: 10 })).items).toEqual([]);
  });

  test('leave the state of that call unchanged', async () => {
    const rows = await store.query({ text: 'SELECT 1 FROM calls WHERE partition = 3', params: [] });
    expect(rows).toEqual([]);
  });
});
