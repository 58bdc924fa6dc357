import { setTimeout as sleep } from 'node:timers/promises';
import { type Bundle, verifyBundle } from '@countersign/evidence';
import { parseVkey } from '@countersign/proofs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { laterEffect, type Omission, omissions } from '../forger/left-out.js';
import { Random } from '../forger/random.js';
import type { Api } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';

const NOW = { prefer: 'wait=0' };
let platform: EmbeddedPlatform;
let admin: Api;
let auditor: Api;
let agent: Api;
let anna: Api;
let bob: Api;

beforeAll(async () => {
  platform = await EmbeddedPlatform.start();
  admin = platform.admin();
  auditor = await admin.keyFor('user', 'audra', ['auditor']);
  agent = await admin.keyFor('agent', 'agent-1', ['agent']);
  anna = await admin.keyFor('user', 'anna', ['approver']);
  bob = await admin.keyFor('user', 'bob', ['approver']);
});
afterAll(() => platform.close());

async function bundleOf(call_id: string): Promise<Bundle> {
  for (const end = performance.now() + 30_000; performance.now() < end; await sleep(200)) {
    const { status, body } = await auditor.request<Bundle>('GET', `/v1/audit/bundle?call_id=${call_id}`);
    if (status === 200) return body;
    expect(status).toBe(503);
  }
  throw new Error('no checkpoint covered the call');
}

function verdictOf(bundle: Bundle) {
  const log = parseVkey(bundle.vkey) as NonNullable<ReturnType<typeof parseVkey>>;
  return verifyBundle(bundle, { log, witnesses: [] });
}

/** The bundle of a call whose events all name their causes by hash. */
async function whole(call_id: string): Promise<Bundle> {
  const bundle = await bundleOf(call_id);
  const verdict = verdictOf(bundle);
  if (verdict.kind === 'refused') throw new Error(`${call_id}: ${verdict.reason}`);
  expect([call_id, verdict.causes.unproven, verdict.causes.proven > 0]).toEqual([call_id, 0, true]);
  return bundle;
}

const write = (name: string) => agent.call({ tool: 'write_file', inputs: { path: name, content: 'x', mode: 'create' } });
const remove = async (name: string) => (await agent.call({ tool: 'delete_file', inputs: { path: name } }, NOW)).body;
const vote = async (by: Api, id: string | undefined, body: object) =>
  expect((await by.request('POST', `/v1/approvals/${id}/votes`, body)).status).toBeLessThan(300);
const status = (call_id: string, is: string) => agent.callUntil(call_id, (call) => call.status === is);

test('each event of calls that ran, read, failed, were approved, denied or cancelled names the hash of its cause', async () => {
  const ran = (await write('ran.txt')).body;
  await whole(ran.call_id);
  await whole((await agent.call({ tool: 'read_file', inputs: { path: 'ran.txt' } })).body.call_id);
  await whole((await agent.call({ tool: 'read_file', inputs: { path: 'none.txt' } })).body.call_id);
  const approved = await remove('ran.txt');
  await anna.request('GET', `/v1/approvals/${approved.approval?.approval_id}`);
  await vote(anna, approved.approval?.approval_id, { vote: 'approve' });
  await status(approved.call_id, 'succeeded');
  const bundle = await whole(approved.call_id);
  expect(bundle.records.map(({ event_type }) => event_type)).toEqual(
    expect.arrayContaining(['approval_voted', 'approval_granted', 'tool_call_started', 'tool_executed']),
  );
  await write('kept.txt');
  const denied = await remove('kept.txt');
  await vote(bob, denied.approval?.approval_id, { vote: 'deny', reason: 'no' });
  await status(denied.call_id, 'denied');
  await whole(denied.call_id);
  const cancelled = await remove('kept.txt');
  await agent.request('POST', `/v1/calls/${cancelled.call_id}/cancel`, { reason: 'not needed' });
  await status(cancelled.call_id, 'cancelled');
  await whole(cancelled.call_id);
});

test('a call that joined another brings the vote on that one, and the bundle of the other does not need it', async () => {
  await write('shared.txt');
  const first = await remove('shared.txt');
  const second = await remove('shared.txt');
  expect(second.approval?.approval_id).toBe(first.approval?.approval_id);
  await vote(anna, first.approval?.approval_id, { vote: 'approve' });
  await status(second.call_id, 'succeeded');
  const joined = await whole(second.call_id);
  const others = joined.records.filter(
    ({ event }) => ![null, second.call_id].includes((event as { meta: { call_id: string | null } }).meta.call_id),
  );
  expect(others.map(({ event_type }) => event_type)).toContain('approval_voted');
  await whole(first.call_id);
});

test('what a dishonest server leaves out of a real bundle is named', async () => {
  await write('forged.txt');
  const call = await remove('forged.txt');
  await vote(anna, call.approval?.approval_id, { vote: 'approve' });
  await status(call.call_id, 'succeeded');
  const bundle = await whole(call.call_id);
  for (const [what, forge] of Object.entries(omissions) as [string, Omission][]) {
    for (let seed = 0; seed < 4; seed++) {
      const forged = forge(bundle, new Random(seed));
      if (forged) expect([what, seed, verdictOf(forged).kind]).toEqual([what, seed, 'refused']);
    }
  }
  const later = laterEffect(bundle, new Random(1)) as Bundle;
  expect(verdictOf(later)).toMatchObject({ kind: 'verified', open: [call.call_id] });
});
