import { contractDigest, type ToolContract } from '@countersign/contracts';
import {
  agentScore,
  type CallState,
  emptyAgent,
  emptyTrust,
  evolve,
  evolveTrust,
  NO_RUNS,
  type PlacedEvent,
  plus,
  trustObservations,
} from '@countersign/domain';
import { evolveAgent } from '@countersign/domain/testing/observed-agent';
import { ungatedRegistration } from '@countersign/domain/testing/ungated-registration';
import { agentOf, PastTrust, toolsOf } from '@countersign/process';
import { PgliteStore, type Statement, trustFacts, trustRuns, trustSpans, trustSums } from '@countersign/store';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startProjector } from '../start-projector.js';
import { PlatformOnDisk } from '../testing/platform-on-disk.js';
import { courses, SampleHistory } from '../testing/sample-history.js';

const query = { tenant_id: 'acme', tools: ['create_order'] };
const TOPIC = 'tool-executed';
const CALLS = 300;

/** The same, folded only from the events up to an offset of tool-executed, and all of the other topics. */
function folded(history: SampleHistory, last: number) {
  const tool = emptyTrust('create_order');
  const agent = emptyAgent();
  const states = new Map<string, CallState>();
  for (const at of history.events) {
    const { call_id } = at.event.meta;
    if (call_id === null || (at.topic === TOPIC && at.offset > last)) continue;
    const before = states.get(call_id);
    const after = evolve(before, at);
    states.set(call_id, after);
    for (const fact of trustObservations(before, after, 'approval-granted')) {
      evolveTrust(tool, fact);
      evolveAgent(agent, fact);
    }
  }
  return { tool, agent };
}

describe('trust on a log and a database', () => {
  const history = new SampleHistory();
  let platform: PlatformOnDisk;
  beforeAll(async () => {
    platform = await PlatformOnDisk.open();
    for (let n = 0; n < CALLS; n++) history.call(courses[n % courses.length] as (typeof courses)[number], null);
    await platform.append(history.events);
    const projector = await startProjector(platform.deps, { lanes: ['shared'] });
    await platform.folded();
    await projector.close();
  });
  afterAll(() => platform.close());

  const pastAt = (offset: number) => new PastTrust(platform.store, platform.log).bound(query, { topic: TOPIC, partition: 0, offset });

  test('the sums of any past offset are those of the events up to it', async () => {
    const head = await platform.log.head(TOPIC, 0);
    for (const offset of [0, 1, 100, 255, 256, 257, 300, head - 1]) {
      const bound = await pastAt(offset);
      const sums = await trustSums(platform.store, query, bound);
      // The other topics were appended at the same time, so all of them are visible.
      const { tool } = folded(history, offset);
      const found = toolsOf(sums, []).get('create_order')?.versions.get('1.0.0')?.runs ?? new Map();
      expect([offset, found]).toEqual([offset, tool.versions.get('1.0.0')?.runs ?? new Map()]);
    }
  });

  test('the current rows give the state that the events give', async () => {
    const sums = await trustSums(platform.store, query);
    const all = folded(history, Number.MAX_SAFE_INTEGER);
    const [found, wanted] = [agentOf(sums), all.agent];
    expect([found.runs, found.asked, found.granted]).toEqual([wanted.runs, wanted.asked, wanted.granted]);
    const own = toolsOf(sums, []).get('create_order')?.versions.get('1.0.0');
    const total = [...(own?.runs.values() ?? [])].reduce((sum, counts) => plus(sum, counts), NO_RUNS);
    expect(total.runs).toBeGreaterThan(100);
    expect(total.succeeded).toBeLessThan(total.runs);
    expect(agentScore(found, () => undefined, 0).counted.runs).toBe(total.runs);
  });

  test('the events behind the numbers are paged in order, each once', async () => {
    const of = { tenant_id: 'acme', tool: 'create_order', version: '1.0.0' };
    const seen: number[] = [];
    for (let after: { topic: string; partition: number; offset: number } | undefined; ; ) {
      const page = await trustRuns(platform.store, { ...of, limit: 17, ...(after ? { after } : {}) });
      seen.push(...page.map(({ offset }) => offset));
      after = page.at(-1);
      if (page.length < 17) break;
    }
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
    const [span] = await trustSpans(platform.store, of);
    expect(span).toEqual({ topic: TOPIC, partition: 0, events: seen.length, first_offset: seen[0], last_offset: seen.at(-1) });
  });

  test('another tenant sees none of it', async () => {
    expect(await trustSums(platform.store, { tenant_id: 'other', tools: ['create_order'] })).toEqual([]);
    expect(await trustFacts(platform.store, { tenant_id: 'other' })).toEqual([]);
  });

  test('a score is published once, as a CloudEvent, and not again by the next process', async () => {
    await platform.append([registration()]);
    const tell = async (met: () => Promise<boolean>) => {
      const projector = await startProjector(platform.deps, { lanes: ['shared'] });
      await until(met);
      await projector.close();
      return platform.log.read('trust-view', 0, 0, 100);
    };
    const first = await tell(async () => (await platform.log.head('trust-view', 0)) >= 2);
    expect(first.map(({ headers }) => headers.ce_subject)).toEqual(['tool/create_order@1.0.0', 'provider/erp']);
    expect(first[0]?.headers).toMatchObject({ ce_specversion: '1.0', ce_type: 'dev.countersign.trust-score.v1' });
    const queries = vi.spyOn(platform.store, 'query');
    // The next process has read the sums once; closing waits until it has published the result.
    expect(await tell(async () => queries.mock.calls.some(([{ name }]) => name === 'views_trust_sums'))).toHaveLength(2);
    queries.mockRestore();
  }, 90_000);

  test('after the database is lost nothing is published from a partial fold', async () => {
    const published = await platform.log.head('trust-view', 0);
    const known = history.events.length;
    for (let n = 0; n < 5 * CALLS; n++) history.call('allowed', null);
    await platform.append(history.events.slice(known));
    const earlier = await startProjector(platform.deps, { lanes: ['shared'] });
    await until(async () => (await platform.log.head('trust-view', 0)) > published);
    await platform.folded();
    await earlier.close();
    const before = await platform.log.head('trust-view', 0);
    const store = await PgliteStore.open({ memory: true });
    const gate = { passed: 0, held: 0, open: () => {} };
    const opened = new Promise<void>((resolve) => {
      gate.open = resolve;
    });
    // The first write of runs completes, and the next ones wait.
    const slow = new Proxy(store, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target) as unknown;
        if (name !== 'atomically') return typeof value === 'function' ? value.bind(target) : value;
        return async (statements: readonly Statement[], lane: 'background') => {
          if (JSON.stringify(statements).includes('"tool-executed') && gate.passed++ > 0) {
            gate.held++;
            await opened;
          }
          return target.atomically(statements, lane);
        };
      },
    });
    const projector = await startProjector({ ...platform.deps, store: slow as PgliteStore }, { lanes: ['shared'] });
    await until(async () => gate.held > 0);
    await lapse(2_500);
    const during = await platform.log.head('trust-view', 0);
    gate.open();
    await lapse(2_500);
    await projector.close();
    await store.close();
    expect(during).toBe(before);
    const own = folded(history, Number.MAX_SAFE_INTEGER).tool.versions.get('1.0.0');
    const all = [...(own?.runs.values() ?? [])].reduce((sum, counts) => plus(sum, counts), NO_RUNS).runs;
    // Scores published after the full fold include all runs.
    const since = (await platform.log.read('trust-view', 0, before, 100)).map(({ value }) => PlatformOnDisk.codec().decode(value).event);
    expect((since as { subject: string; runs: number }[]).filter(({ subject, runs }) => subject === 'tool' && runs < all)).toEqual([]);
  });
});

const lapse = (for_ms: number) => new Promise((resolve) => setTimeout(resolve, for_ms));

/** The tool, with a passed evaluation of its contract. */
function registration(): PlacedEvent {
  const contract = { name: 'create_order', version: '1.0.0', provider: 'erp' } as ToolContract;
  const contract_digest = contractDigest(contract);
  const evaluation = {
    tool: 'create_order',
    version: '1.0.0',
    contract_digest,
    passed: 1,
    failed: 0,
    cases: [],
    verified_at: '2026-11-01T00:00:00Z',
  };
  const meta = { event_id: '0192f0c4-3333-7000-8000-000000000001', tenant_id: '', call_id: null, attempt: 0, causation_id: null };
  const event = {
    meta: { ...meta, correlation_id: 'r', hlc: 1, partition: 0 },
    name: 'create_order',
    version: '1.0.0',
    digest: contract_digest,
    contract_json: JSON.stringify(contract),
    lanes: ['shared'],
    executor_id: 'e',
    registered_at_ms: 1,
    ...ungatedRegistration,
    evaluation_json: JSON.stringify(evaluation),
  };
  return { event_type: 'tool_registered', event, topic: 'tool-registered', partition: 0, offset: 0, timestamp_ms: 1 };
}

async function until(met: () => Promise<boolean>): Promise<void> {
  for (let n = 0; n < 600; n++) {
    if (await met()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('it did not come');
}
