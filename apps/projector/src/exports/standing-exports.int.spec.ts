import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { EventCodec } from '@countersign/contracts';
import type { LogRecord, NewRecord } from '@countersign/event-log';
import { caseHistory, PgliteStore, readCase } from '@countersign/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseProjectorConfig } from '../config.js';
import { startProjector } from '../start-projector.js';
import { PlatformOnDisk } from '../testing/platform-on-disk.js';
import { SampleHistory } from '../testing/sample-history.js';

const codec = new EventCodec();
const config = { lanes: ['shared'], exports: ['case-history-view', 'audit-view'] as const };
let platform: PlatformOnDisk;
const history = new SampleHistory();

beforeAll(async () => {
  platform = await PlatformOnDisk.open();
  history.openCase('c1', 'First');
  for (const course of ['allowed', 'granted', 'denied', 'deduplicated'] as const) history.call(course, 'c1');
  history.call('allowed', null, 'other');
});
afterAll(() => platform.close());

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + 40_000; performance.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error('it did not come');
}
const read = (topic: string) => platform.log.read(topic, 0, 0, 500);
const formOf = ({ headers, key }: LogRecord) => ({ headers, key });
const idOf = ({ headers }: LogRecord) => headers.ce_id as string;
const published = (topic: string, count: number) =>
  until(async () => {
    const records = await read(topic);
    return records.length >= count ? records : undefined;
  });

describe('standing exports', () => {
  test('every folded event is a CloudEvent on audit-view, once, with the content of the audit', async () => {
    await platform.append(history.events);
    const projector = await startProjector(platform.deps, config);
    const records = await published('audit-view', history.events.length);
    await projector.close();
    expect(new Set(records.map(idOf))).toEqual(new Set(history.events.map(({ event }) => event.meta.event_id)));
    expect(records.length).toBe(history.events.length);
    const ended = records.find(
      ({ value }) => (codec.decode(value).event as { event_type?: string }).event_type === 'tool_executed',
    ) as LogRecord;
    const { event } = codec.decode(ended.value) as { event: { meta: { event_id: string }; recorded_at_ms: number } };
    expect(ended.headers).toEqual({
      'content-type': 'application/avro',
      ce_specversion: '1.0',
      ce_id: event.meta.event_id,
      ce_source: '/countersign/log',
      ce_type: 'dev.countersign.audit-event.v1',
      ce_time: new Date(event.recorded_at_ms).toISOString(),
      ce_subject: expect.stringMatching(/^\d+-/),
      ce_tenantid: 'acme',
    });
    expect(event).toMatchObject({ caller: expect.stringMatching(/^\w+:/), tool: 'create_order', result_hash: expect.any(String) });
  });

  test('every line of the history of a case is one on case-history-view', async () => {
    const { items } = await caseHistory(platform.store, { tenant_id: 'acme', case_id: 'c1', limit: 500 });
    const records = await published('case-history-view', items.length);
    const lines = records.map(({ value }) => codec.decode(value).event as { meta: { event_id: string }; seq: number; line_type: string });
    expect(new Set(lines.map(({ meta, seq, line_type }) => `${meta.event_id}:${seq} ${line_type}`))).toEqual(
      new Set(items.map(({ event_id, seq, type }) => `${event_id}:${seq} ${type}`)),
    );
    expect(records.length).toBe(items.length);
    expect(records.every(({ headers }) => headers.ce_subject === 'c1')).toBe(true);
  });

  test('a crash between publishing and deleting repeats the same ids, which the example consumer counts once', async () => {
    const before = await read('audit-view');
    const more = new SampleHistory();
    more.call('allowed', null);
    const fresh = history.events.length;
    history.call('allowed', null);
    await platform.append(history.events.slice(fresh));
    const deps = platform.deps;
    const isOfExports = (records: readonly NewRecord[]) => records.some(({ topic }) => topic === 'audit-view');
    let crashes = 0;
    const log = new Proxy(platform.log, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target) as unknown;
        if (name !== 'append') return typeof value === 'function' ? value.bind(target) : value;
        return async (records: readonly NewRecord[]) => {
          const offsets = await target.append(records);
          if (isOfExports(records) && crashes++ === 0) throw new Error('it died here');
          return offsets;
        };
      },
    });
    const projector = await startProjector({ ...deps, log }, config);
    const expected = before.length + 2 * (history.events.length - fresh);
    const records = await published('audit-view', expected);
    await projector.close();
    expect(new Set(records.map(idOf)).size).toBe(history.events.length);
    const example = pathToFileURL(path.resolve('examples/analytics/usage-fold.mjs')).href;
    const { UsageFold } = (await import(example)) as {
      UsageFold: new () => { take(headers: object, event: object): void; result(): object };
    };
    const fold = new UsageFold();
    for (const { headers, value } of records) fold.take(headers, codec.decode(value).event);
    const count = (type: string) => history.events.filter(({ event_type }) => event_type === type).length;
    expect(fold.result()).toEqual({ create_order: { requested: count('tool_call_requested'), ended: count('tool_executed') } });
  });

  test('after the database is lost, everything is exported again under the same ids', async () => {
    const earlier = { 'audit-view': await read('audit-view'), 'case-history-view': await read('case-history-view') };
    const store = await PgliteStore.open({ memory: true });
    const projector = await startProjector({ ...platform.deps, store }, config);
    for (const topic of config.exports) {
      const known = new Map(earlier[topic].map((record) => [idOf(record), record]));
      const again = (await published(topic, earlier[topic].length + known.size)).slice(earlier[topic].length);
      expect(new Map(again.map((record) => [idOf(record), formOf(record)]))).toEqual(
        new Map([...known].map(([id, record]) => [id, formOf(record)])),
      );
      expect(again).toHaveLength(known.size);
    }
    await projector.close();
    await store.close();
  });

  test('only configured exports are written, and an unknown export is refused at the start', async () => {
    const parsed = (exports?: string) => parseProjectorConfig(exports === undefined ? {} : { COUNTERSIGN_EXPORTS: exports });
    expect(parsed()).toMatchObject({ config: { exports: [] } });
    expect(parsed('audit-view, trust-view')).toMatchObject({ config: { exports: ['audit-view'] } });
    expect(parsed('audit-view,audits')).toEqual({ faults: [expect.stringContaining('COUNTERSIGN_EXPORTS: audits')] });
    const before = (await read('audit-view')).length;
    const fresh = history.events.length;
    history.call('allowed', null);
    await platform.append(history.events.slice(fresh));
    const projector = await startProjector(platform.deps, { lanes: ['shared'] });
    await platform.folded();
    await projector.close();
    expect((await read('audit-view')).length).toBe(before);
    expect(await platform.store.query({ text: 'SELECT 1 FROM export_outbox', params: [] })).toEqual([]);
  });

  test('SQL views for analysts have stable names and columns, and a row for each call, case, line and approval', async () => {
    const rows = (name: string) => platform.store.query<Record<string, unknown>>({ text: `SELECT * FROM ${name}`, params: [] });
    const counted = async (name: string) => [Object.keys((await rows(name))[0] as object), (await rows(name)).length] as const;
    const of = (type: string) => history.events.filter(({ event_type }) => event_type === type).length;
    const { items } = await caseHistory(platform.store, { tenant_id: 'acme', case_id: 'c1', limit: 500 });
    expect(await counted('analytics_calls')).toEqual([
      ['call_id', 'tenant_id', 'case_id', 'run_id', 'tool', 'status', 'requested_at'],
      of('tool_call_requested'),
    ]);
    expect(await counted('analytics_cases')).toEqual([['case_id', 'tenant_id', 'state', 'title', 'opened_at', 'changed_at'], 1]);
    expect(await counted('analytics_case_history')).toEqual([
      ['event_id', 'seq', 'tenant_id', 'case_id', 'type', 'at', 'call_id', 'hlc'],
      items.length,
    ]);
    expect(await counted('analytics_approvals')).toEqual([
      ['approval_id', 'tenant_id', 'call_id', 'revision', 'requested_at', 'expires_at', 'ended_as', 'ended_at', 'ended_by'],
      of('approval_requested'),
    ]);
    const ids = history.events.flatMap(({ event_type, event }) => (event_type === 'tool_call_requested' ? [event.meta.call_id] : []));
    expect((await rows('analytics_calls')).map(({ call_id }) => call_id).sort()).toEqual(ids.sort());
  });

  test('a change that every service ignores is exported as refused, and no view shows it', async () => {
    const more = new SampleHistory({ serial: 50, tenant_id: 'acme', first_offset: history.events.length });
    const base = (version: number) => ({ based_on: [{ item: 'case/c1', version }] });
    more.openCase('c1', 'Taken', 'open', base(-1));
    more.openCase('c1', 'Lost', 'closed', base(-1));
    const before = (await read('audit-view')).length;
    await platform.append(more.events);
    const projector = await startProjector(platform.deps, config);
    const records = await published('audit-view', before + 2);
    await until(async () => ((await readCase(platform.store, 'acme', 'c1'))?.title === 'Taken' ? true : undefined));
    await projector.close();
    const exported = records.slice(-2).map(({ value }) => codec.decode(value).event as { refused_because: string | null });
    expect(exported.map(({ refused_because }) => refused_because)).toEqual([null, 'base_moved']);
    expect(await readCase(platform.store, 'acme', 'c1')).toMatchObject({ title: 'Taken', status: 'open' });
    const { items } = await caseHistory(platform.store, { tenant_id: 'acme', case_id: 'c1', limit: 500 });
    expect(items.filter(({ type }) => type === 'case_closed')).toEqual([]);
  });
});
