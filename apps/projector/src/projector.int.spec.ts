import { setTimeout as sleep } from 'node:timers/promises';
import { InfrastructureFault } from '@countersign/contracts';
import { unpackCall } from '@countersign/domain';
import { HeldEventLog } from '@countersign/event-log/testing/held-event-log';
import {
  builtTable,
  caseHistory,
  listApprovals,
  listCalls,
  listCases,
  parseCursor,
  readApproval,
  readBuilds,
  readCall,
  readCase,
  Store,
  viewSets,
} from '@countersign/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startProjector } from './start-projector.js';
import { PlatformOnDisk } from './testing/platform-on-disk.js';
import { SampleHistory } from './testing/sample-history.js';

/** A store whose next `faults` writes fail, alternately before and after they ran. */
class FaultyStore extends Store {
  readonly durable = false;
  faults = 0;
  constructor(private readonly store: Store) {
    super();
  }
  query: Store['query'] = (statement) => this.store.query(statement);
  atomically: Store['atomically'] = (statements, priority) => this.perhaps(() => this.store.atomically(statements, priority));
  transaction: Store['transaction'] = (work) => this.perhaps(() => this.store.transaction(work));
  close = async () => undefined;

  private async perhaps<T>(work: () => Promise<T>): Promise<T> {
    if (this.faults === 0) return work();
    if (this.faults-- % 2 === 0) throw new InfrastructureFault('no connection');
    await work();
    throw new InfrastructureFault('no answer, although it ran');
  }
}

const config = { lanes: ['shared'] };
let platform: PlatformOnDisk;

beforeAll(async () => {
  platform = await PlatformOnDisk.open();
});
afterAll(() => platform.close());

describe('the projector on a log and a database', () => {
  const history = new SampleHistory();
  const ids: Record<string, string> = {};

  test('folds calls, cases, history and approvals', async () => {
    history.openCase('c1', 'First');
    ids.done = history.call('allowed', 'c1');
    ids.granted = history.call('granted', 'c1');
    ids.failed = history.call('allowed', null);
    ids.denied = history.call('denied', 'c1');
    ids.foreign = history.call('allowed', null, 'other');
    await platform.append(history.events);
    const projector = await startProjector(platform.deps, config);
    await platform.folded();
    await projector.close();

    const done = await readCall(platform.store, 'acme', ids.done as string);
    expect(done).toMatchObject({ call_id: ids.done, case_id: 'c1', status: 'succeeded', tool: 'create_order' });
    expect(unpackCall(done?.state as Buffer).end?.outcome.output_json).toBe('{"ok":true}');
    expect((await readCall(platform.store, 'acme', ids.granted as string))?.status).toBe('succeeded');
    expect(await readCase(platform.store, 'acme', 'c1')).toMatchObject({ status: 'open', title: 'First' });
    expect(await listCases(platform.store, { tenant_id: 'acme', limit: 10 })).toMatchObject({
      items: [{ case_id: 'c1' }],
      next_cursor: null,
    });
  });

  test('another tenant sees none of it', async () => {
    expect(await readCall(platform.store, 'other', ids.done as string)).toBeUndefined();
    expect((await listCalls(platform.store, { tenant_id: 'other', limit: 10 })).items.map((call) => call.call_id)).toEqual([ids.foreign]);
    expect((await caseHistory(platform.store, { tenant_id: 'other', case_id: 'c1', limit: 10 })).items).toEqual([]);
    expect(await readCase(platform.store, 'other', 'c1')).toBeUndefined();
    expect((await listApprovals(platform.store, { tenant_id: 'other', limit: 10 })).items).toEqual([]);
    expect(await readApproval(platform.store, 'other', `${ids.granted}/1`)).toBeUndefined();
  });

  test('pages are complete: no repeat and no gap, newest call first and oldest line first', async () => {
    const calls: string[] = [];
    for (let after = undefined as string | null | undefined; after !== null; ) {
      const page = await listCalls(platform.store, { tenant_id: 'acme', limit: 1, ...(after ? { after: parseCursor(after)! } : {}) });
      calls.push(...page.items.map((call) => call.call_id));
      after = page.next_cursor;
    }
    expect(calls).toEqual([ids.denied, ids.failed, ids.granted, ids.done]);
    const lines: string[] = [];
    for (let after = undefined as string | null | undefined; after !== null; ) {
      const page = await caseHistory(platform.store, {
        tenant_id: 'acme',
        case_id: 'c1',
        limit: 2,
        ...(after ? { after: parseCursor(after)! } : {}),
      });
      lines.push(...page.items.map((line) => line.type));
      after = page.next_cursor;
    }
    expect(lines).toEqual([
      'case_opened',
      ...['tool_call_pending', 'policy_decided', 'tool_call_complete'],
      ...['tool_call_pending', 'policy_decided', 'tool_call_pending_approval'],
      ...['approval_voted', 'approval_voted', 'approval_granted', 'tool_call_complete'],
      ...['tool_call_pending', 'policy_decided'],
    ]);
  });

  test('an approval has its votes with their outcomes', async () => {
    const approval = await readApproval(platform.store, 'acme', `${ids.granted}/1`);
    expect(approval).toMatchObject({ status: 'granted', call_id: ids.granted, requirement: { quorum: 1, approver_roles: ['approver'] } });
    expect(approval?.votes.map(({ vote_id, verdict }) => [vote_id, verdict])).toEqual([
      ['v0', 'refused'],
      ['v1', 'counted'],
    ]);
    expect((await listApprovals(platform.store, { tenant_id: 'acme', status: 'pending', limit: 10 })).items).toEqual([]);
  });

  test('a case awaits approval while a call of it waits, and a restart continues at the rows', async () => {
    const before = history.events.length;
    history.call('expired', 'c1');
    const waiting = history.events.slice(before).filter((at) => at.event_type !== 'approval_expired');
    const end = history.events.slice(before).filter((at) => at.event_type === 'approval_expired');
    await platform.append(waiting);
    const first = await startProjector(platform.deps, config);
    await platform.folded();
    await first.close();
    expect((await readCase(platform.store, 'acme', 'c1'))?.status).toBe('awaiting_approval');
    expect((await listCases(platform.store, { tenant_id: 'acme', status: 'awaiting_approval', limit: 1 })).items).toHaveLength(1);
    expect((await listApprovals(platform.store, { tenant_id: 'acme', status: 'pending', limit: 1 })).items).toHaveLength(1);
    await platform.append(end);
    const second = await startProjector(platform.deps, config);
    await platform.folded();
    await second.close();
    expect((await readCase(platform.store, 'acme', 'c1'))?.status).toBe('open');
    expect((await listCalls(platform.store, { tenant_id: 'acme', status: 'expired', limit: 5 })).items).toHaveLength(1);
  });

  test('emptied views are folded again to the same rows', async () => {
    const read = () => platform.store.query({ text: 'SELECT * FROM calls ORDER BY call_uuid', params: [] });
    const before = await read();
    const builds = (await readBuilds(platform.store)).flatMap(({ projection, suffix }) =>
      viewSets.filter(({ name }) => name === projection).flatMap(({ tables }) => tables.map(({ name }) => builtTable(name, suffix))),
    );
    await platform.store.query({ text: `TRUNCATE ${builds.join(', ')}, projection_offsets`, params: [] });
    const projector = await startProjector(platform.deps, config);
    await platform.folded();
    await projector.close();
    expect(before.length).toBeGreaterThan(4);
    expect(await read()).toEqual(before);
  });

  test('it is ready once it has folded the records from before its start, and no earlier', async () => {
    const from = history.events.length;
    const id = history.call('allowed', null);
    await platform.append(history.events.slice(from));
    const log = new HeldEventLog(platform.log);
    const projector = await startProjector({ ...platform.deps, log }, config);
    while (log.held === 0) await sleep(10);
    expect(projector.ready()).toBe(false);
    log.letGo();
    while (!projector.ready()) await sleep(10);
    await platform.folded();
    await projector.close();
    expect((await readCall(platform.store, 'acme', id))?.status).toBe('succeeded');
  });

  test('a store that fails, before or after it wrote the rows, is retried: every row exists once', async () => {
    const from = history.events.length;
    const ended = ['allowed', 'granted', 'denied', 'allowed'] as const;
    const made = ended.map((end) => history.call(end, 'c1'));
    const store = new FaultyStore(platform.store);
    const projector = await startProjector({ ...platform.deps, store }, config);
    while (!projector.ready()) await sleep(10);
    store.faults = 4;
    await platform.append(history.events.slice(from));
    await platform.folded();
    await projector.close();
    expect(store.faults).toBe(0);
    const { items } = await listCalls(platform.store, { tenant_id: 'acme', limit: 500 });
    const shown = items.map(({ call_id }) => call_id).filter((call_id) => made.includes(call_id));
    expect(shown.sort()).toEqual([...made].sort());
    expect(await platform.log.head('dead-letter', 0)).toBe(0);
  });

  test('a record that cannot be folded goes to dead-letter once, and the others are folded', async () => {
    const from = history.events.length;
    const id = history.call('allowed', null);
    const bad = history.events.slice(from).map((at) => structuredClone(at));
    for (const at of bad) at.event.meta.call_id = at.event_type === 'tool_call_requested' ? 'nonsense' : at.event.meta.call_id;
    await platform.append(bad);
    const projector = await startProjector(platform.deps, config);
    await platform.folded();
    await projector.close();
    expect(await platform.log.head('dead-letter', 0)).toBe(1);
    expect(await readCall(platform.store, 'acme', id)).toBeUndefined();
    const again = await startProjector(platform.deps, config);
    await platform.folded();
    await again.close();
    expect(await platform.log.head('dead-letter', 0)).toBe(1);
  });
});
