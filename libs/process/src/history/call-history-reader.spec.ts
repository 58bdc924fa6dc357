import { callTopics } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';
import { type HistoryUses, historyWindows } from '@countersign/policy';
import { agentWindows, type Statement, type Store } from '@countersign/store';
import { expect, test } from 'vitest';
import { CallHistoryReader, type HistoryAsk } from './call-history-reader.js';

const uses: HistoryUses = { scopes: new Set(['case', 'agent', 'first_use_of_tool']), tools: new Set(['pay']) };
const NOW_MS = 50_000;
const call = {
  tool: 'pay',
  version: '1.0.0',
  case_id: 'c1',
  run_id: null,
  principal: { kind: 'agent' as const, id: 'bot', roles: [] },
  lane: 'shared',
};
const circuit = {
  tool: 'pay',
  version: '1.0.0',
  revision: 1,
  slots: '[]',
  failing_since_ms: 1,
  openings: 1,
  opened_at_ms: 1,
  open_until_ms: NOW_MS + 1,
};
const ask: HistoryAsk = { tenant_id: 'acme', call, call_id: null, at_ms: 3_600_000 * 10, uses };

/** Views that have folded everything below `next_offset` of every topic, and a log whose heads are at 5. */
function bookOf(next_offset: number, builds = ['live'], log: object = {}) {
  let now_ms = 0;
  const answers = ({ name = '' }: Statement) => {
    if (name === 'projections_builds') return builds.flatMap((state) => ['call', 'usage'].map((projection) => ({ projection, state })));
    if (name === 'views_projection_position')
      return callTopics.map((topic) => ({
        topic,
        partition: 0,
        next_offset,
      }));
    if (name === 'circuits_for') return [{ ...circuit, tenant_id: 'acme' }];
    if (name === 'views_calls_by_status_of_case')
      return [{ n: 0, tool: 'look', status: 'succeeded', calls: 2, flags: 'credentials,padding' }];
    if (name === 'views_calls_by_status_of_run') return [{ n: 1, tool: 'look', status: 'failed', calls: 3, flags: 'padding' }];
    if (name === 'views_agent_counts') return [{ n: 2, tool: 'look', last_24h_flagged: 1 }];
    return [];
  };
  return new CallHistoryReader({
    log: { partitions: () => 1, head: async () => 5, ...log } as unknown as EventLog,
    store: { query: async (statement: Statement) => answers(statement) } as unknown as Store,
    clock: {
      monotonic_ms: () => {
        now_ms += 100;
        return now_ms;
      },
      now_ms: () => NOW_MS,
    },
  });
}

test('returns the contents of the views, with zeros for other tools that rules name', async () => {
  const [text] = await bookOf(5).read([ask]);
  const none = { calls: 0, succeeded: 0, failed: 0, denied: 0, in_doubt: 0, flagged: 0 };
  const window = { ...none, tools: { pay: none } };
  expect(JSON.parse(text as string)).toEqual({
    agent: { last_1h: window, last_24h: window, last_30d: window },
    case: {
      ...none,
      calls: 2,
      succeeded: 2,
      flagged: 2,
      flags: { credentials: 2, padding: 2 },
      pending: 0,
      tools: { pay: { ...none, pending: 0 } },
    },
    first_use_of_tool: true,
  });
});

test('counts flagged answers in the run, without one in the case, without both of the principal', async () => {
  const flagged = { ...ask, uses: { scopes: new Set(['flagged'] as const), tools: new Set<string>() } };
  const inRun = { ...flagged, call: { ...call, run_id: 'r1' } };
  const alone = { ...flagged, call: { ...call, case_id: null } };
  expect(await bookOf(5).read([flagged, inRun, alone])).toEqual(['{"flagged":2}', '{"flagged":3}', '{"flagged":1}']);
  expect(await bookOf(4).read([flagged])).toEqual([undefined]);
});

test('reads exactly the windows that it returns', () => {
  expect(agentWindows).toEqual(historyWindows);
});

test('returns the circuit of the version that is called, also while the views lag behind', async () => {
  const ofCircuit: HistoryAsk = { ...ask, uses: { scopes: new Set(['circuit']), tools: new Set() } };
  const asks = [ofCircuit, ask, { ...ofCircuit, tenant_id: 'other' }, { ...ofCircuit, call: { ...call, version: '2.0.0' } }];
  expect(await bookOf(4).read(asks)).toEqual(['{"circuit":"open"}', undefined, '{"circuit":"closed"}', '{"circuit":"closed"}']);
});

test('returns nothing while the views lag behind the log or are folded for the first time', async () => {
  expect(await bookOf(4).read([ask])).toEqual([undefined]);
  expect(await bookOf(5, ['building']).read([ask])).toEqual([undefined]);
});

test('an unavailable log is a fault, not an empty history', async () => {
  const fail = async () => {
    throw new Error('unavailable');
  };
  await expect(bookOf(5, ['live'], { head: fail }).read([ask])).rejects.toThrow('unavailable');
});
