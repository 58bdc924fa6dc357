import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventSchemas } from '@countersign/contracts';
import { type Bundle, verifyBundle } from '@countersign/evidence';
import { COSIGNATURE_V1, cosign, noteSigner, parseNote, parseVkey, parseWitness } from '@countersign/proofs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reSigned } from '../forger/re-signed-bundle.js';
import { EmbeddedPlatform } from '../journeys/embedded-platform.js';

const script = path.join(process.cwd(), 'test/conformance/python/verify_bundle.py');
const trusted = eventSchemas.map(({ schema }) => createHash('sha256').update(schema).digest('hex'));
const EDITS = 60;
let dir: string;
let bundle: Bundle;

/** A case with an approved call, made by a real platform. */
async function madeBundle(): Promise<Bundle> {
  const platform = await EmbeddedPlatform.start();
  try {
    const admin = platform.admin();
    const agent = await admin.keyFor('agent', 'agent-1', ['agent']);
    const anna = await admin.keyFor('user', 'anna', ['approver', 'auditor']);
    const { case_id } = (await agent.request<{ case_id: string }>('POST', '/v1/cases', {})).body;
    await agent.call({ tool: 'write_file', inputs: { path: 'ä.txt', content: 'x', mode: 'create' }, case_id });
    const submitted = (await agent.call({ tool: 'delete_file', inputs: { path: 'ä.txt' }, case_id })).body;
    await anna.request('POST', `/v1/approvals/${submitted.approval?.approval_id}/votes`, { vote: 'approve' });
    await agent.callUntil(submitted.call_id, (call) => call.status === 'succeeded');
    for (const end = performance.now() + 30_000; performance.now() < end; await sleep(200)) {
      const { status, body } = await anna.request<Bundle>('GET', `/v1/audit/bundle?case_id=${case_id}`);
      if (status === 200 && body.case) return body;
    }
    throw new Error('no checkpoint covered the leaf of the case');
  } finally {
    await platform.close();
  }
}

beforeAll(async () => {
  execFileSync('python3', ['--version']); // fails loudly where there is none
  dir = mkdtempSync(path.join(tmpdir(), 'bundle-'));
  bundle = await madeBundle();
}, 120_000);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function theirs(text: string, vkey = bundle.vkey, witnesses: readonly string[] = []): number | null {
  return python(text, vkey, witnesses).status;
}

function python(text: string, vkey: string, witnesses: readonly string[]) {
  const file = path.join(dir, 'bundle.json');
  writeFileSync(file, text);
  return spawnSync('python3', ['-B', script, ...witnesses.flatMap((key) => ['--witness', key]), file, vkey, ...trusted], {
    encoding: 'utf8',
  });
}

function ours(text: string, vkey = bundle.vkey, keys: readonly string[] = []): number {
  const log = parseVkey(vkey);
  const witnesses = keys.flatMap((key) => parseWitness(key) ?? []);
  let read: Bundle;
  try {
    read = JSON.parse(text) as Bundle;
  } catch {
    return 1;
  }
  return log && verifyBundle(read, { log, witnesses }).kind === 'verified' ? 0 : 1;
}

describe('a verifier in another language, from the public specifications', () => {
  test('accepts the true bundle, as ours does', () => {
    const text = JSON.stringify(bundle);
    expect([theirs(text), ours(text)]).toEqual([0, 0]);
  });

  test('accepts with ours what the last entry of a checkpoint proves, and refuses any earlier one', async () => {
    const signer = noteSigner('log.example', Buffer.alloc(32, 5));
    const { vkey } = signer.verifier;
    for (const [at, size] of [
      [0, 1],
      [4, 5],
      [0, 2],
      [1, 3],
      [3, 5],
    ] as const) {
      const text = JSON.stringify(await reSigned(bundle, signer, at, size));
      const expected = at === size - 1 ? 0 : 1;
      expect([at, size, theirs(text, vkey), ours(text, vkey)]).toEqual([at, size, expected, expected]);
    }
  }, 60_000);

  test('knows with ours which witness cosigned, and says where none of them checks heads', async () => {
    const signer = noteSigner('log.example', Buffer.alloc(32, 5));
    const witness = noteSigner('witness.example', Buffer.alloc(32, 9), COSIGNATURE_V1);
    const { vkey } = signer.verifier;
    const plain = await reSigned(bundle, signer, 2, 3);
    const line = cosign(parseNote(plain.checkpoint)?.text as string, 1_790_000_000, witness);
    const text = JSON.stringify({ ...plain, checkpoint: plain.checkpoint + line });
    for (const key of [witness.verifier.vkey, `heads:${witness.verifier.vkey}`]) {
      expect([theirs(text, vkey, [key]), ours(text, vkey, [key])]).toEqual([0, 0]);
      expect([theirs(JSON.stringify(plain), vkey, [key]), ours(JSON.stringify(plain), vkey, [key])]).toEqual([1, 1]);
      expect(python(text, vkey, [key]).stdout.includes('not proven: that records were not rewritten')).toBe(!key.startsWith('heads:'));
    }
  }, 60_000);

  test('refuses with ours every edit of one character, from the calls shown to the end', () => {
    const text = JSON.stringify(bundle);
    const shown = text.indexOf('"calls":');
    const records = text.indexOf('"records":');
    let seed = 7;
    const next = (from: number, end: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return from + (seed % (end - from));
    };
    for (let n = 0; n < EDITS; n++) {
      const at = n % 3 === 0 ? next(shown, records) : next(records, text.length);
      const edited = `${text.slice(0, at)}${text[at] === '1' ? '2' : '1'}${text.slice(at + 1)}`;
      expect([at, theirs(edited), ours(edited)]).toEqual([at, 1, 1]);
    }
  }, 300_000);

  test('refuses with ours what is shown as something else than the records say', () => {
    const calls = (edit: (call: Bundle['calls'][number]) => object) => ({
      calls: bundle.calls.map((call) => ({ ...call, ...edit(call) })),
    });
    const first = bundle.records[0] as Bundle['records'][number];
    const edits: [string, object][] = [
      ['another voter', calls(({ votes }) => ({ votes: votes.map((vote) => ({ ...vote, by: 'mallory' })) }))],
      ['another end', calls(() => ({ status: 'denied' }))],
      ['no rulings', calls(() => ({ rulings: [] }))],
      ['another tool', calls(() => ({ tool: 'read_file' }))],
      ['another viewer', calls(() => ({ viewed: [{ by: 'mallory', at_ms: 1 }] }))],
      ['a member more in a call', calls(() => ({ note: 'x' }))],
      ['another case', { subject: { case_id: 'case_none' } }],
      ['one call of several', { subject: { call_id: bundle.calls[0]?.call_id } }],
      ['a call left out', { calls: bundle.calls.slice(1) }],
      ['a request left out', { records: bundle.records.filter(({ event_type }) => event_type !== 'tool_call_requested') }],
      ['junk behind a value', { records: [{ ...first, value: `${first.value}!!!!\n` }, ...bundle.records.slice(1)] }],
      ['a member more', { note: 'approved by the board' }],
      ['another key', { vkey: `${bundle.vkey}=` }],
    ];
    for (const [what, edit] of edits) {
      const text = JSON.stringify({ ...bundle, ...edit });
      expect([what, theirs(text), ours(text)]).toEqual([what, 1, 1]);
    }
  }, 120_000);
});
