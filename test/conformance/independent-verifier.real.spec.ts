import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bundle, verifyBundle } from '@countersign/evidence';
import { COSIGNATURE_V1, cosign, noteSigner, parseNote, parseVkey, parseWitness } from '@countersign/proofs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reSigned } from '../forger/re-signed-bundle.js';
import { EmbeddedPlatform } from '../journeys/embedded-platform.js';
import { pythonBundle } from './python-bundle.js';

const edits = path.join(process.cwd(), 'test/conformance/python/verify_edits.py');
let dir: string;
let bundle: Bundle;

/** A case with an approved call, made by a real platform, whose records came in several entries. */
async function madeBundle(): Promise<Bundle> {
  const platform = await EmbeddedPlatform.start();
  try {
    const admin = platform.admin();
    const agent = await admin.keyFor('agent', 'agent-1', ['agent']);
    const anna = await admin.keyFor('user', 'anna', ['approver', 'auditor']);
    const { case_id } = (await agent.request<{ case_id: string }>('POST', '/v1/cases', {})).body;
    const covered = async (steps_min: number) => {
      for (const end = performance.now() + 60_000; performance.now() < end; await sleep(200)) {
        const { status, body } = await anna.request<Bundle>('GET', `/v1/audit/bundle?case_id=${case_id}`);
        if (status === 200 && (body.case?.steps.length ?? 0) >= steps_min) return body;
      }
      throw new Error(`no checkpoint covered step ${steps_min} of the case`);
    };
    await agent.call({ tool: 'write_file', inputs: { path: 'ä.txt', content: 'x', mode: 'create' }, case_id });
    await covered(1);
    const submitted = (await agent.call({ tool: 'delete_file', inputs: { path: 'ä.txt' }, case_id })).body;
    await covered(2);
    await anna.request('POST', `/v1/approvals/${submitted.approval?.approval_id}/votes`, { vote: 'approve' });
    await agent.callUntil(submitted.call_id, (call) => call.status === 'succeeded');
    return await covered(3);
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
  return pythonBundle(text, vkey, { witnesses }).status;
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
      expect(pythonBundle(text, vkey, { witnesses: [key] }).output.includes('not proven: that records were not rewritten')).toBe(
        !key.startsWith('heads:'),
      );
    }
  }, 60_000);

  // Both take about 30 ms for each edit. By hand, 2026-11-27: every place of case, checkpoint and key, and every third one of the rest, in Python.
  test.each([
    ['the calls and records', '"calls":', '"schemas":', 43, 61],
    ['the case', '"case":', '', 3, 5],
    ['checkpoint and key', '"checkpoint":', '"case":', 3, 5],
  ])('refuses with ours any edit of one character: %s', (_, first, end, ourStep, theirStep) => {
    const text = JSON.stringify(bundle);
    const until = end ? text.lastIndexOf(end) : text.length;
    const accepted: string[] = [];
    for (let at = text.indexOf(first); at < until; at += ourStep)
      if (ours(`${text.slice(0, at)}${text[at] === '1' ? '2' : '1'}${text.slice(at + 1)}`) === 0)
        accepted.push(`${at}: ${text.slice(at - 40, at + 40)}`);
    expect(accepted).toEqual([]);
    const file = path.join(dir, 'edited.json');
    writeFileSync(file, text);
    const { status, stdout, stderr } = spawnSync('python3', ['-B', edits, file, bundle.vkey, first, end, `${theirStep}`], {
      encoding: 'utf8',
    });
    expect([status, stdout + stderr]).toEqual([0, expect.stringMatching(/^\d{2,} edits\n$/)]);
  });

  test('refuses with ours a member without a value under another name', () => {
    const text = JSON.stringify(bundle);
    for (const name of ['call_id', 'causation_id', 'joined_call_id', 'reason']) {
      const edited = text.replace(`"${name}":null`, `"${name.replace(/^./, '1')}":null`);
      expect([name, edited === text, theirs(edited), ours(edited)]).toEqual([name, false, 1, 1]);
    }
  });

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
      ['an offset that is a text', { records: [{ ...first, offset: `${first.offset}` }, ...bundle.records.slice(1)] }],
      ['a time with a fraction', { records: [{ ...first, timestamp_ms: first.timestamp_ms + 0.5 }, ...bundle.records.slice(1)] }],
      ['a record twice', { records: [...bundle.records, { ...first, offset: `0${first.offset}` }] }],
      [
        'a schema by another writing of its id',
        { schemas: Object.fromEntries(Object.entries(bundle.schemas).map(([id, text]) => [` ${id}`, text])) },
      ],
      ['a schema that no record uses', { schemas: { ...bundle.schemas, 99999: '"string"' } }],
      ['a step of the case left out', { case: { ...bundle.case, steps: bundle.case?.steps.slice(1) } }],
    ];
    for (const [what, edit] of edits) {
      const text = JSON.stringify({ ...bundle, ...edit });
      expect([what, theirs(text), ours(text)]).toEqual([what, 1, 1]);
    }
  }, 120_000);
});
