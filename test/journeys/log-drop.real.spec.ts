import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bundle } from '@countersign/evidence';
import { PostgresStore } from '@countersign/store/postgres/postgres-store';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api, Envelope } from './api.js';
import { countersign } from './cli.js';
import { DistributedPlatform } from './distributed-platform.js';

const OUTPUT_ERASED = 'erased' as unknown as Envelope['output'];
/** Tables that are not a fold of the log: keys of subjects, secrets. Checkpoints are restored from the log. */
const KEPT = ['subject_keys', 'sealed_values'];
const SESSION = '-c synchronous_commit=on -c search_path=public,pg_catalog';

describe('dropping old records on Kafka', () => {
  let platform: DistributedPlatform;
  let admin: Api;
  let agent: Api;
  let auditor: Api;
  let first: Envelope;
  let last: Envelope;
  let old: Bundle;
  let vkey: string;
  let size: number;

  const write = (name: string) => agent.call({ tool: 'write_file', inputs: { path: name, content: 'x', mode: 'create' } });
  const drop = (more: object = {}) => admin.request<Record<string, unknown>>('POST', '/v1/log/drops', { keep_months: 6, ...more });
  const folder = () => path.join(platform.dir, 'witness');
  const look = () =>
    countersign({ COUNTERSIGN_TOKEN: auditor.key }, 'witness', '--vkey', vkey, '--log', platform.base, '--dir', folder(), '--once');
  const sql = async (...texts: string[]) => {
    const client = new pg.Client({ connectionString: platform.databaseUrl });
    await client.connect();
    try {
      for (const text of texts) await client.query(text);
    } finally {
      await client.end();
    }
  };

  async function bundleOf({ call_id }: Envelope): Promise<Bundle> {
    for (const end = performance.now() + 30_000; performance.now() < end; await sleep(100)) {
      const { status, body } = await auditor.request<Bundle>('GET', `/v1/audit/bundle?call_id=${call_id}`);
      if (status === 200) return body;
      if (status === 410) throw new Error(`${call_id} was dropped`);
    }
    throw new Error(`no checkpoint covered ${call_id}`);
  }

  async function verified(bundle: Bundle): Promise<string> {
    const file = path.join(platform.dir, 'bundle.json');
    writeFileSync(file, JSON.stringify(bundle));
    const { code, output } = await countersign({}, 'verify', file, '--vkey', bundle.vkey);
    return code === 0 ? 'verified' : output;
  }

  async function coveredProof(offset: number | undefined): Promise<void> {
    const url = `/v1/audit/proof?topic=configuration-changed&partition=0&offset=${offset}`;
    for (const end = performance.now() + 30_000; performance.now() < end; await sleep(100))
      if ((await auditor.request('GET', url)).status === 200) return;
    throw new Error(`no checkpoint covered ${url}`);
  }

  /** A new database, except for tables that are not a fold of the log. */
  async function emptied(): Promise<void> {
    const aside = KEPT.map((name) => `ALTER TABLE public.${name} SET SCHEMA kept`);
    await sql('CREATE SCHEMA kept', ...aside, 'DROP SCHEMA public CASCADE', 'CREATE SCHEMA public');
    await (await PostgresStore.open({ url: platform.databaseUrl })).close();
    await sql(...KEPT.map((name) => `INSERT INTO public.${name} SELECT * FROM kept.${name}`), 'DROP SCHEMA kept CASCADE');
  }

  /** Starts only the gateway half a year ahead: services use the clock of their database, and its sessions get a shifted time. */
  async function gatewayLater(): Promise<void> {
    await sql(`CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
      AS 'SELECT pg_catalog.clock_timestamp() + interval ''200 days'''`);
    const url = new URL(platform.databaseUrl);
    url.searchParams.set('options', SESSION);
    await platform.member('gateway').stop();
    platform.restart('gateway', { COUNTERSIGN_DATABASE_URL: url.href });
    await platform.ready('gateway');
  }

  beforeAll(async () => {
    platform = await DistributedPlatform.create();
    const witness = (await countersign({}, 'witness', '--new-key', '--dir', folder(), '--name', 'witness.example')).output.trim();
    for (const app of ['policy', 'projector', 'executor', 'gateway'])
      await platform.add(app, app, { COUNTERSIGN_AUDIT_WITNESSES: `heads:${witness}` });
    await platform.ready();
    admin = platform.admin();
    agent = await admin.keyFor('agent', 'agent-1', ['agent']);
    auditor = await admin.keyFor('user', 'audra', ['auditor']);
    first = (await write('a.txt')).body;
    old = await bundleOf(first);
    const { headers, body } = await auditor.request<string>('GET', '/v1/audit/checkpoint');
    vkey = headers.get('countersign-vkey') as string;
    size = Number(body.split('\n')[1]);
  });
  afterAll(() => platform.close(), 60_000);

  test('nothing is dropped that no witness cosigned, that is younger than the floor, or younger than the requested age', async () => {
    expect((await drop({ keep_months: 5 })).status).toBe(400);
    expect((await drop()).body).toMatchObject({ status: 503, detail: 'no checkpoint exists yet: nothing can be dropped' });
    expect(await look()).toMatchObject({ code: 0, output: expect.stringContaining('cosigned checkpoint') });
    expect((await drop()).body).toMatchObject({ records_below: {}, dropped: { segments: 0 } });
    last = (await write('b.txt')).body;
    expect(await verified(await bundleOf(last))).toBe('verified');
  });

  test('half a year later DeleteRecords deletes what the witness cosigned, and no more; all remaining records are proven', async () => {
    await gatewayLater();
    const planned = (await drop({ dry_run: true })).body as { records_below: Record<string, number> };
    expect(Object.keys(planned.records_below)).toContain(`tool-executed/${Number(first.call_id.split('-')[0])}`);
    expect((await drop()).body).toMatchObject({ dropped: { segments: 0 }, waits_for: 'cosignature' });
    const { body: recorded } = await auditor.request<{ items: { offset: number }[] }>('GET', '/v1/audit/events?type=log_dropped');
    await coveredProof(recorded.items.at(-1)?.offset);
    expect((await look()).code).toBe(0);
    const { dropped } = (await drop()).body as { dropped: { segments: number } };
    expect(dropped.segments).toBe(Object.keys(planned.records_below).length);
    // For this gateway all later records are half a year old as well, and no witness cosigned the record of its drop.
    expect((await drop()).body).toMatchObject({ dropped: { segments: 0 }, waits_for: 'cosignature' });

    const { topic, partition, offset } = old.records.find(({ event_type }) => event_type === 'tool_executed') as Bundle['records'][number];
    const proof = await auditor.request('GET', `/v1/audit/proof?topic=${topic}&partition=${partition}&offset=${offset}`);
    expect(proof).toMatchObject({ status: 410, body: { first: expect.any(Number) } });
    expect((await auditor.request('GET', `/v1/audit/bundle?call_id=${first.call_id}`)).status).toBe(410);
    expect((await agent.readCall(first.call_id)).body.status).toBe('succeeded');
    expect(await verified(await bundleOf(last))).toBe('verified');
    expect(await verified(old)).toBe('verified');
    expect(await auditor.request('GET', `/v1/audit/consistency?first=${size}`)).toMatchObject({ status: 200, body: { first: size } });
  });

  test('with emptied tables it continues from the remaining log: nothing runs twice, and the witness sees one log', async () => {
    await Promise.all([...platform.members.keys()].map((name) => platform.member(name).stop()));
    await emptied();
    for (const name of platform.members.keys()) platform.restart(name);
    await platform.ready();
    rmSync(path.join(platform.workspace, 'a.txt'));
    expect((await write('a.txt')).body).toMatchObject({ status: 'succeeded', deduplicated: true, output: OUTPUT_ERASED });
    expect(existsSync(path.join(platform.workspace, 'a.txt'))).toBe(false);
    expect((await agent.callUntil(last.call_id, ({ status }) => status === 'succeeded')).call_id).toBe(last.call_id);
    const next = (await write('c.txt')).body;
    expect(next.status).toBe('succeeded');
    expect(await verified(await bundleOf(next))).toBe('verified');
    expect((await look()).code).toBe(0);
  });
});
