import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Bundle, verifyBundle } from '@countersign/evidence';
import { parseVkey } from '@countersign/proofs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';

const run = promisify(execFile);
let platform: EmbeddedPlatform;
let auditor: Api;
let vkey: string;

beforeAll(async () => {
  platform = await EmbeddedPlatform.start();
  auditor = await platform.admin().keyFor('user', 'audra', ['auditor']);
});
afterAll(() => platform.close());

async function bundleOf(query: string): Promise<Bundle> {
  for (const end = performance.now() + 30_000; performance.now() < end; await sleep(200)) {
    const { status, body } = await auditor.request<Bundle>('GET', `/v1/audit/bundle?${query}`);
    if (status === 200) return body;
    expect(status).toBe(503);
  }
  throw new Error('no checkpoint covered the call');
}

/** Runs `countersign verify` on a bundle without the server. */
async function verify(bundle: unknown, key = vkey): Promise<{ code: number; output: string }> {
  const file = path.join(platform.dir, 'bundle.json');
  writeFileSync(file, JSON.stringify(bundle));
  const cli = path.join(process.cwd(), 'node_modules/.bin/countersign');
  const ran = await run(process.execPath, [cli, 'verify', file, '--vkey', key]).catch((error) => error);
  return { code: ran.code ?? 0, output: `${ran.stdout}${ran.stderr}` };
}

/** Edits of the bundle of one call that change nothing in its records. */
function quietEdits(bundle: Bundle, case_id: string): [string, object][] {
  const first = bundle.records[0] as Bundle['records'][number];
  const shown = bundle.calls[0] as Bundle['calls'][number];
  const { proof } = first;
  const instead = (record: object) => ({ records: [{ ...first, ...record }, ...bundle.records.slice(1)] });
  return [
    ['another call', { subject: { call_id: '0-01a2007f-b3c2-7001-9a67-44e55dc07cca' } }],
    ['a case that it is not of', { subject: { case_id: 'case_none' } }],
    ['its call and its case', { subject: { call_id: shown.call_id, case_id } }],
    ['no subject', { subject: {} }],
    ['a call twice', { calls: [shown, shown] }],
    ['the request left out', { records: bundle.records.filter((record) => record.event_type !== 'tool_call_requested') }],
    ['junk behind a value', instead({ value: `${first.value}!!!!\n` })],
    // Records are in several trees, so this path is never empty.
    ['junk behind a hash', instead({ proof: { ...proof, head: { ...proof.head, path: proof.head.path.map((hash) => `${hash}!`) } } })],
    ['a member more', { note: 'approved by the board' }],
    ['a member more in a record', instead({ note: 'seen' })],
    ['a member more in a proof', instead({ proof: { ...proof, note: 'seen' } })],
    ['another key', { vkey: `${bundle.vkey.slice(0, -2)}A=` }],
    ['no time', { made_at_ms: 'yesterday' }],
  ];
}

test('an approved call is verified offline: its decision, views, votes and outcome; any edit is refused', async () => {
  const admin = platform.admin();
  const agent = await admin.keyFor('agent', 'agent-1', ['agent']);
  const anna = await admin.keyFor('user', 'anna', ['approver']);
  const { body: opened } = await agent.request<{ case_id: string }>('POST', '/v1/cases', { title: 'A case' });
  const { case_id } = opened;
  await agent.call({ tool: 'write_file', inputs: { path: 'a.txt', content: 'x', mode: 'create' }, case_id });
  const submitted = (await agent.call({ tool: 'delete_file', inputs: { path: 'a.txt' }, case_id })).body;
  const approval = submitted.approval?.approval_id as string;
  expect((await anna.request('POST', `/v1/approvals/${approval}/votes`, { vote: 'approve' })).status).toBeLessThan(300);
  await agent.callUntil(submitted.call_id, (call) => call.status === 'succeeded');

  const bundle = await bundleOf(`call_id=${submitted.call_id}`);
  vkey = bundle.vkey;
  const { code, output } = await verify(bundle);
  expect(output).toContain(`call ${submitted.call_id}: delete_file succeeded`);
  expect(output).toContain('approve by anna at');
  expect(output).toContain('a bundle alone does not prove');
  expect([code, output.includes('require_approval by rule')]).toEqual([0, true]);

  const first = bundle.records[0] as Bundle['records'][number];
  const shown = bundle.calls[0] as Bundle['calls'][number];
  const edits: [string, Partial<Bundle>][] = [
    ['another outcome', { calls: [{ ...shown, status: 'denied' }] }],
    ['another voter', { calls: [{ ...shown, votes: shown.votes.map((vote) => ({ ...vote, by: 'mallory' })) }] }],
    [
      'an event shown differently',
      { records: [{ ...first, event: { ...(first.event as object), edited: true } }, ...bundle.records.slice(1)] },
    ],
    ['a record left out', { records: bundle.records.filter((record) => record.event_type !== 'approval_voted') }],
    ['a record twice', { records: [first, ...bundle.records] }],
    ['another value', { records: [{ ...first, value: `${first.value.slice(0, -8)}BBBBBBB=` }, ...bundle.records.slice(1)] }],
    ['another tenant', { tenant_id: 'other' }],
    [
      'another schema',
      { schemas: Object.fromEntries(Object.entries(bundle.schemas).map(([id, text]) => [id, text.replace('approve', 'deny')])) },
    ],
    ['another format', { format: 'countersign-bundle/v2' as never }],
    ['no records', { records: [], calls: [] }],
  ];
  for (const [what, edit] of edits) {
    const { code: refusal, output: why } = await verify({ ...bundle, ...edit });
    expect([what, refusal, why.startsWith('refused: ')]).toEqual([what, 1, true]);
  }
  const log = parseVkey(vkey) as NonNullable<ReturnType<typeof parseVkey>>;
  const ours = (edit: object) => verifyBundle({ ...bundle, ...edit }, { log, witnesses: [] }).kind;
  expect(ours({})).toBe('verified');
  for (const [what, edit] of quietEdits(bundle, case_id)) expect([what, ours(edit)]).toEqual([what, 'refused']);
  expect(ours({ subject: { case_id } })).toBe('verified');
  expect((await verify(bundle, 'some.other/log+12345678+AAAA')).code).toBe(2);

  const whole = await bundleOf(`case_id=${case_id}`);
  expect(whole.calls.map((call) => call.tool)).toEqual(['write_file', 'delete_file']);
  expect((await verify(whole)).code).toBe(0);
});

test('the bundle of a case has every policy that decided its calls, as each decision saw it', async () => {
  const admin = platform.admin();
  const agent = await admin.keyFor('agent', 'agent-2', ['agent']);
  const { case_id } = (await agent.request<{ case_id: string }>('POST', '/v1/cases', {})).body;
  const write = (name: string) => agent.call({ tool: 'write_file', inputs: { path: name, content: 'x', mode: 'create' }, case_id });
  const rule = (tier: string) => admin.request('PUT', '/v1/policies/tools/write_file', { tier });
  expect((await admin.request('PUT', '/v1/facts/rates', { rows: { a: 1 } })).status).toBe(200);
  expect((await admin.request('PATCH', '/v1/facts/rates', { set: { b: 2 } })).status).toBe(200);
  expect((await rule('tier_1_auto')).status).toBe(200);
  expect((await write('ruled.txt')).body.status).toBe('succeeded');
  expect((await rule('tier_3_blocked')).status).toBe(200);
  expect((await write('refused.txt')).body.status).toBe('denied');

  const bundle = await bundleOf(`case_id=${case_id}`);
  const output = (type: string, field: string) =>
    bundle.records.flatMap(({ event_type, event }) => (event_type === type ? [(event as Record<string, unknown>)[field]] : []));
  expect(output('tool_policy_set', 'tier')).toEqual(['tier_1_auto', 'tier_3_blocked']);
  expect(output('fact_table_set', 'mode')).toEqual(['replace', 'merge']);
  expect((await verify(bundle, bundle.vkey)).code).toBe(0);
  expect((await admin.request('DELETE', '/v1/policies/tools/write_file')).status).toBeLessThan(300);
});

test('an unknown or unnamed call or case has no bundle', async () => {
  const ask = async (query: string) => (await auditor.request('GET', `/v1/audit/bundle?${query}`)).status;
  expect(await ask('call_id=0-01a2007f-b3c2-7001-9a67-44e55dc07cca')).toBe(404);
  expect(await ask('call_id=nonsense')).toBe(404);
  expect(await ask('case_id=case_none')).toBe(404);
  expect(await ask('')).toBe(400);
  expect(await ask('call_id=a&case_id=b')).toBe(400);
});
