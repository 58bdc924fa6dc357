import { callError, type Outcome } from '@countersign/contracts';
import { CIRCUIT_DEFAULTS } from '@countersign/domain';
import { type AppDeps, CircuitView, createLogger, systemClock } from '@countersign/process';
import { type CircuitKey, circuitsOf, Store } from '@countersign/store';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '../calls/job.js';
import { keptStores } from '../testing/kept-stores.js';
import { Rig } from '../testing/rig.js';
import { CircuitMetrics } from './circuit-metrics.js';
import { CircuitReporter } from './circuit-reporter.js';

/** Counts the statements of a store by name. */
class CountedStore extends Store {
  readonly durable = false;
  readonly names: string[] = [];
  constructor(private readonly store: Store) {
    super();
  }
  query: Store['query'] = (statement) => {
    this.names.push(statement.name ?? '');
    return this.store.query(statement);
  };
  atomically: Store['atomically'] = (statements, priority) => {
    this.names.push(...statements.map(({ name }) => name ?? ''));
    return this.store.atomically(statements, priority);
  };
  transaction: Store['transaction'] = (work) => this.store.transaction(work);
  close = () => this.store.close();
  get circuits(): string[] {
    return this.names.filter((name) => name.startsWith('circuit') && name !== 'circuits_all');
  }
}

const KEY: CircuitKey = { tenant_id: 'default', tool: 'pay', version: '1.0.0' };

/** The circuits of one executor, on a store that others share. */
class Member {
  readonly registry = new Registry();
  readonly view: CircuitView;
  readonly reporter: CircuitReporter;
  readonly lines: Record<string, unknown>[] = [];

  constructor(store: Store) {
    const logger = createLogger('executor', 'info', { write: (line) => this.lines.push(JSON.parse(line)) });
    const deps = { store, clock: systemClock, logger } as Pick<AppDeps, 'store' | 'clock' | 'logger'>;
    this.view = new CircuitView(deps);
    this.reporter = new CircuitReporter(deps, this.view, new CircuitMetrics(this.view, this.registry));
  }

  ran(succeeded: number, failed: number, { tool, version, tenant_id }: CircuitKey = KEY, about: Partial<Job> = {}): this {
    const end = (error: Outcome['error']) =>
      ({ status: error ? 'failed' : 'succeeded', error, extras: null, ended_at_ms: Date.now() }) as Outcome;
    const job = {
      call: { tool, version, deadline_ms: null },
      tenant_id,
      fired_at_ms: Date.now(),
      owner_dead: false,
      cancelled: false,
      ...about,
    } as Job;
    for (let at = 0; at < succeeded; at++) this.reporter.ended(job, end(null));
    for (let at = 0; at < failed; at++) this.reporter.ended(job, end(callError('PROVIDER_ERROR', 'down')));
    return this;
  }

  /** Reports outcomes, and again once they are confirmed. */
  async confirmed(store: Store): Promise<this> {
    await this.second();
    const text = 'UPDATE circuits SET failing_since_ms = failing_since_ms - $1, revision = revision + 1';
    await store.query({ text, params: [CIRCUIT_DEFAULTS.confirm_ms] });
    await this.view.refresh();
    return this.second();
  }

  async second(): Promise<this> {
    await this.reporter.report();
    await this.view.refresh();
    return this;
  }

  get state() {
    return this.view.stateOf(KEY.tenant_id, KEY.tool, KEY.version);
  }

  get events() {
    return this.lines.map(({ event, tenant_id, tool, version }) => ({ event, tenant_id, tool, version }));
  }
}

describe('executors on one store', () => {
  let store: CountedStore;
  let one: Member;
  let other: Member;
  beforeAll(async () => {
    store = new CountedStore(await keptStores.take());
  });
  beforeEach(() => {
    store.names.length = 0;
    [one, other] = [new Member(store), new Member(store)];
  });
  afterEach(async () => {
    await store.query({ text: 'TRUNCATE circuits', params: [] });
  });
  afterAll(() => store.close());

  const sinceOpening = (ms: number) =>
    store.query({
      text: 'UPDATE circuits SET opened_at_ms = opened_at_ms - $1, open_until_ms = open_until_ms - $1, revision = revision + 1',
      params: [ms],
    });
  const opened = async () => {
    await one.ran(0, 10).confirmed(store);
    await sinceOpening(CIRCUIT_DEFAULTS.open_ms);
    await Promise.all([one.view.refresh(), other.view.refresh()]);
  };

  test('a tool that does not fail costs no SQL', async () => {
    for (let second = 0; second < 3; second++) await one.ran(1_000, 0).second();
    expect(store.circuits).toEqual([]);
  });

  test('that opens at one is open at the other after its next read, with one event and one count', async () => {
    await one.ran(0, 10).confirmed(store);
    expect([one.state, other.state]).toEqual(['open', 'closed']);
    await other.view.refresh();
    expect(other.state).toBe('open');
    expect([...one.events, ...other.events]).toEqual([{ event: 'circuit_opened', ...KEY }]);
    expect(await one.registry.metrics()).toMatch('countersign_circuit_transitions_total{transition="opened"} 1');
    expect(await other.registry.metrics()).toMatch('countersign_circuits{state="open"} 1');
  });

  test('outcomes of both add up, also where they are reported at the same time', async () => {
    one.ran(0, 5);
    other.ran(0, 5);
    await Promise.all([one.reporter.report(), other.reporter.report()]);
    await one.confirmed(store);
    await other.second();
    expect([one.state, other.state]).toEqual(['open', 'open']);
    expect([...one.events, ...other.events].map(({ event }) => event)).toEqual(['circuit_opened']);
  });

  test('successes at the other count against failures at one', async () => {
    await one.ran(0, 5).second();
    await (await other.second()).ran(100, 0).second();
    expect(JSON.parse((await circuitsOf(store, KEY.tenant_id))[0]?.slots ?? '[]')).not.toEqual([]);
    await one.ran(0, 50).second();
    expect(one.state).toBe('closed');
    await one.ran(0, 60).confirmed(store);
    expect(one.state).toBe('open');
  });

  test('an executor whose own network fails opens no circuit of a tool that works at the others', async () => {
    await one.ran(0, 50).second();
    expect(one.state).toBe('closed');
    await (await other.second()).ran(100, 0).second();
    await one.ran(0, 10).confirmed(store);
    expect(one.state).toBe('closed');
  });

  test('of a half-open circuit only one caller holds the probe', async () => {
    await opened();
    expect([one.state, other.state]).toEqual(['half_open', 'half_open']);
    const held = await Promise.all([one.view.acquire(KEY, 'saga one'), other.view.acquire(KEY, 'saga two')]);
    expect(held.filter(Boolean)).toHaveLength(1);
    const [holder, waiting] = held[0] ? [one, other] : [other, one];
    expect(await holder.view.acquire(KEY, held[0] ? 'saga one' : 'saga two')).toBe(true);
    await holder.view.release(KEY, held[0] ? 'saga one' : 'saga two');
    expect(await waiting.view.acquire(KEY, 'saga three')).toBe(true);
  });

  test('the success of a probe closes the circuit for all, its failure opens it again for twice as long', async () => {
    await opened();
    await other.ran(0, 1).second();
    await one.view.refresh();
    expect([one.state, other.state, one.view.circuit('default', 'pay', '1.0.0')?.openings]).toEqual(['open', 'open', 2]);
    expect(await one.view.acquire(KEY, 'a')).toBe(false);
    await sinceOpening(2 * CIRCUIT_DEFAULTS.open_ms);
    await other.view.refresh();
    await other.ran(1, 0).second();
    await one.view.refresh();
    expect([one.state, other.state]).toEqual(['closed', 'closed']);
    expect(other.events.map(({ event }) => event)).toEqual(['circuit_reopened', 'circuit_closed']);
    expect(await circuitsOf(store, KEY.tenant_id)).toEqual([]);
    expect(await one.view.acquire(KEY, 'a')).toBe(true);
  });

  test.each([
    ['began before it opened', { fired_at_ms: 1 }],
    ['was taken over from a dead executor', { owner_dead: true }],
    ['was cancelled', { cancelled: true }],
  ])('a call that %s does not open it again', async (_, about) => {
    await opened();
    other.ran(0, 1, KEY, about);
    await other.second();
    expect(other.state).toBe('half_open');
  });

  test('a lost row is a closed circuit, and a forgotten one goes by itself', async () => {
    await one.ran(0, 10).confirmed(store);
    await store.query({ text: 'TRUNCATE circuits', params: [] });
    await one.view.refresh();
    expect(one.state).toBe('closed');
    await opened();
    await sinceOpening(CIRCUIT_DEFAULTS.forget_ms);
    await other.view.refresh();
    await other.second();
    expect([other.state, await circuitsOf(store, KEY.tenant_id)]).toEqual(['closed', []]);
  });

  test('the failures of one tenant leave the circuit of another closed, and one with many tools has a bounded number', async () => {
    for (let at = 0; at < 300; at++) one.ran(0, 10, { tenant_id: 'hostile', tool: `t${at}`, version: '1.0.0' });
    await one.ran(0, 10).confirmed(store);
    expect(await circuitsOf(store, 'hostile')).toHaveLength(200);
    expect([one.state, one.view.stateOf('other', 'pay', '1.0.0')]).toEqual(['open', 'closed']);
  });

  test('while the store does not respond states stay as they were, and outcomes are reported later', async () => {
    await one.ran(0, 9).second();
    const { query } = store;
    store.query = () => Promise.reject(new Error('unavailable'));
    await one.ran(0, 1).second();
    expect(one.lines.map(({ event }) => event)).toEqual(['circuits_not_written', 'circuits_not_read']);
    store.query = query;
    await one.confirmed(store);
    expect(one.state).toBe('open');
  });
});

describe('an executor', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.open();
  });
  afterEach(() => rig.close());

  test('opens the circuit of a tool whose runs fail, not of one that refuses its inputs; another process sees it by its own reads', async () => {
    await rig.start();
    const elsewhere = new CircuitView(rig.deps());
    await elsewhere.start();
    const names = Array.from({ length: 12 }, (_, at) => `n${at}`);
    const failing = await Promise.all(names.map((name) => rig.allow('blind_write', name, { act: 'refuse' })));
    const invalid = await Promise.all(names.map((name) => rig.allow('asked_write', name, { call: { inputs_json: '{"name":7}' } })));
    await rig.ends([...failing, ...invalid].map(({ meta }) => meta.call_id as string));
    await rig.until(async () => (await circuitsOf(rig.store, 'default')).some(({ openings }) => openings === 1));
    expect((await circuitsOf(rig.store, 'default')).map(({ tool }) => tool)).toEqual(['blind_write']);
    await rig.until(() => elsewhere.stateOf('default', 'blind_write', '1.0.0') === 'open', 2_000);
    await elsewhere.close();
    const further = await rig.end(await rig.allow('blind_write', 'further'));
    expect(further.event.outcome.status).toBe('succeeded');
  });
});
