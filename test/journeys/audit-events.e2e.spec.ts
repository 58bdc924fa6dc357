import { setTimeout as sleep } from 'node:timers/promises';
import { sha256Hex } from '@countersign/contracts';
import { parseVkey, verifyRecord } from '@countersign/proofs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';

interface AuditItem {
  event_id: string;
  type: string;
  time: string;
  recorded_at: string;
  call_id: string | null;
  case_id: string | null;
  caller: string | null;
  args_hash: string | null;
  result_hash: string | null;
  decision_id: string | null;
  topic: string;
  partition: number;
  offset: number;
  [more: string]: unknown;
}

let platform: EmbeddedPlatform;
let auditor: Api;
let agent: Api;

beforeAll(async () => {
  platform = await EmbeddedPlatform.start();
  auditor = await platform.admin().keyFor('user', 'audra', ['auditor']);
  agent = await platform.admin().keyFor('agent', 'agent-7', ['agent']);
});
afterAll(() => platform.close());

async function list(query: string, api = auditor): Promise<AuditItem[]> {
  const items: AuditItem[] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await api.request<{ items: AuditItem[]; next_cursor: string | null }>(
      'GET',
      `/v1/audit/events?limit=3&${query}${cursor}`,
    );
    if (status !== 200) throw new Error(JSON.stringify(body));
    items.push(...body.items);
    if (body.next_cursor === null) return items;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

const write = (name: string, more: object = {}) =>
  agent.call({ tool: 'write_file', inputs: { path: name, content: 'x', mode: 'create' }, ...more });

describe('audit events', () => {
  test('of a call have the actor, digests of request and outcome, the decision, and their positions on the log', async () => {
    const { body: opened } = await agent.request<{ case_id: string }>('POST', '/v1/cases', { title: 'a case' });
    const { body: call } = await write('one.txt', { case_id: opened.case_id });
    const items = await list(`call_id=${call.call_id}`);
    expect(items.map(({ type }) => type)).toEqual(['tool_call_requested', 'policy_decided', 'tool_call_started', 'tool_executed']);
    for (const item of items) {
      expect(item).toMatchObject({ call_id: call.call_id, case_id: opened.case_id, caller: 'agent:agent-7', tool: 'write_file' });
      expect(item.decision_id).toBe((call.decision as { decision_id: string }).decision_id);
      expect(item.args_hash).toMatch(/^[0-9a-f]{64}$/);
    }
    const { body: last } = await auditor.request<AuditItem & { event: { outcome: { output_json: string } } }>(
      'GET',
      `/v1/audit/events/${items[3]?.event_id}`,
    );
    expect(JSON.parse(last.event.outcome.output_json)).toEqual(call.output);
    expect(items[3]?.result_hash).toBe(sha256Hex(last.event.outcome.output_json));
    expect(await list(`case_id=${opened.case_id}&type=tool_executed`)).toEqual([items[3]]);
    const ofCase = await list(`case_id=${opened.case_id}`);
    expect(ofCase.map(({ type }) => type)).toEqual(['case_set', ...items.map(({ type }) => type)]);
  });

  test('are filtered by caller, type and time, in pages without gaps or repeats, oldest first', async () => {
    for (let n = 0; n < 4; n++) await write(`many-${n}.txt`);
    const all = await list('');
    const times = all.map(({ time }) => Date.parse(time));
    for (const { time, recorded_at } of all) expect(recorded_at).toBe(time);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(new Set(all.map(({ event_id }) => event_id)).size).toBe(all.length);
    const mine = await list('caller=agent-7&type=tool_call_requested');
    expect(mine.length).toBeGreaterThanOrEqual(5);
    expect(mine.every(({ caller }) => caller === 'agent:agent-7')).toBe(true);
    expect(await list('caller=nobody')).toEqual([]);
    const from = mine[2]?.time as string;
    const since = await list(`caller=agent:agent-7&type=tool_call_requested&from=${from}`);
    expect(since).toEqual(mine.filter(({ time }) => time >= from));
    expect(await list(`caller=agent:agent-7&type=tool_call_requested&to=${from}`)).toEqual(mine.filter(({ time }) => time < from));
  });

  test('each is found by its id and proven with trust in one key, without a server', async () => {
    const [event] = (await list('type=policy_decided')) as [AuditItem];
    const path = `/v1/audit/proof?event_id=${event.event_id}`;
    let proven = await auditor.request<{ record: { value: string; offset: number }; proof: never; vkey: string }>('GET', path);
    for (let n = 0; proven.status === 503 && n < 300; n++) {
      await sleep(100);
      proven = await auditor.request('GET', path);
    }
    const { record, proof, vkey } = proven.body;
    expect(record.offset).toBe(event.offset);
    const covered = { ...record, value: Buffer.from(record.value, 'base64') } as never;
    expect(verifyRecord(covered, proof, { log: parseVkey(vkey) as never, witnesses: [] }).kind).toBe('proven');
  });

  test('reading them is itself recorded: the first read of a reader in a minute with its query, the others counted at the end of the minute', async () => {
    const reader = await platform.admin().keyFor('user', 'rita', ['auditor']);
    const { body: call } = await write('watched.txt');
    const seen = await list(`call_id=${call.call_id}`, reader);
    for (const { topic, partition, offset } of seen)
      await reader.request('GET', `/v1/audit/proof?topic=${topic}&partition=${partition}&offset=${offset}`);
    const reads = (await list('type=audit_read')).filter(({ actor }) => actor === 'user:rita');
    expect(reads).toMatchObject([{ actor: 'user:rita', caller: 'user:rita' }]);
    type Read = { event: { what: string; query_json: string; items: number; until_ms: number; reads: number | null } };
    const { body } = await auditor.request<Read>('GET', `/v1/audit/events/${reads[0]?.event_id}`);
    expect(JSON.parse(body.event.query_json)).toEqual({ call_id: call.call_id, limit: 3 });
    expect(body.event).toMatchObject({ what: 'events', items: 3, reads: null });
    expect(Math.abs(body.event.until_ms - 60_000 - Date.parse(reads[0]?.time as string))).toBeLessThan(5000);
  });

  test('are exported completely; the digest of the file is tied to a proven record, and an export can continue after any row', async () => {
    await write('exported.txt');
    const get = (query: string) =>
      fetch(`${platform.base}/v1/audit/export?${query}`, { headers: { authorization: `Bearer ${auditor.key}` } });
    const answer = await get('format=ndjson');
    const file = await answer.text();
    const rows = file
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditItem & { cursor: string });
    const { event_id } = (await list('type=tool_executed')).at(-1) as AuditItem;
    expect(rows.map((row) => row.event_id)).toContain(event_id);
    const id = answer.headers.get('countersign-export') as string;
    type Read = { event: { what: string; sha256: string; items: number; checkpoint_size: number } };
    const { body } = await auditor.request<Read>('GET', `/v1/audit/events/${id}`);
    const checkpoint_size = Number(answer.headers.get('countersign-checkpoint'));
    expect(body.event).toMatchObject({ what: 'export', sha256: sha256Hex(file), items: rows.length, checkpoint_size });
    const rest = await (await get(`cursor=${rows.at(-3)?.cursor}`)).text();
    expect(rest).toBe(`${file.trim().split('\n').slice(-2).join('\n')}\n`);
    const csv = await (await get('format=csv&type=tool_executed')).text();
    expect(csv.trim().split('\r\n').length).toBe(rows.filter(({ type }) => type === 'tool_executed').length + 1);
    const parquet = Buffer.from(await (await get(`format=parquet&after_checkpoint=${checkpoint_size}`)).arrayBuffer());
    expect([parquet.subarray(0, 4).toString(), parquet.subarray(-4).toString()]).toEqual(['PAR1', 'PAR1']);
    for (const bad of ['format=xml', 'cursor=nonsense', `format=parquet&cursor=${rows[0]?.cursor}`])
      expect((await get(bad)).status).toBe(400);
    expect((await get('after_checkpoint=99999999')).status).toBe(404);
    expect((await agent.request('GET', '/v1/audit/export')).status).toBe(403);
  });

  test('are visible only to auditors of their tenant; invalid queries are refused with the position of the fault', async () => {
    await platform.admin().request('POST', '/v1/tenants', { tenant_id: 'other' });
    const stranger = await platform.admin().keyFor('user', 'sam', ['auditor'], 'other');
    const { body: call } = await write('mine.txt');
    const [event] = (await list(`call_id=${call.call_id}`)) as [AuditItem];
    expect((await list('', stranger)).every(({ tenant_id }) => tenant_id === 'other')).toBe(true);
    for (const path of [
      `events/${event.event_id}`,
      `events?call_id=${call.call_id}`,
      'events?case_id=none',
      `proof?event_id=${event.event_id}`,
    ]) {
      expect([path, (await stranger.request('GET', `/v1/audit/${path}`)).status]).toEqual([path, 404]);
    }
    for (const path of ['events', `events/${event.event_id}`]) expect((await agent.request('GET', `/v1/audit/${path}`)).status).toBe(403);
    expect((await auditor.request('GET', '/v1/audit/events/00000000-0000-7000-8000-000000000000')).status).toBe(404);
    for (const bad of ['from=yesterday', 'limit=501', 'cursor=nonsense', 'more=1']) {
      const { status, body } = await auditor.request<{ validation?: { issues: { path: string }[] } }>('GET', `/v1/audit/events?${bad}`);
      expect([status, body.validation?.issues.length]).toEqual([400, 1]);
    }
    for (const bad of ['', '?event_id=x', `?event_id=${event.event_id}&offset=1`, '?topic=tool-executed&partition=0']) {
      expect((await auditor.request('GET', `/v1/audit/proof${bad}`)).status).toBe(400);
    }
  });

  test('a range of reads ends when the gateway stops; after a crash its opening stands, and nothing says how much was read', async () => {
    const reader = await platform.admin().keyFor('user', 'rob', ['auditor']);
    const readsOf = async () => {
      const items = (await list('type=audit_read')).filter(({ actor }) => actor === 'user:rob');
      type Read = { event: { what: string; reads: number | null; opened_by: string | null } };
      return Promise.all(
        items.map(async ({ event_id }) => (await auditor.request<Read>('GET', `/v1/audit/events/${event_id}`)).body.event),
      );
    };
    for (let n = 0; n < 3; n++) await list('type=case_set', reader);
    await platform.process.stop();
    await platform.up();
    const [opening, end] = await readsOf();
    expect(opening).toMatchObject({ what: 'events', opened_by: null });
    expect(end).toMatchObject({ what: 'range', reads: expect.any(Number) });
    expect(end?.reads).toBeGreaterThanOrEqual(3);

    for (let n = 0; n < 3; n++) await list('type=case_set', reader);
    await platform.process.stop('SIGKILL');
    await platform.up();
    expect((await readsOf()).slice(2)).toMatchObject([{ what: 'events', reads: null, opened_by: null }]);
  });
});
