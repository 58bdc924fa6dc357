import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { COSIGNATURE_V1, cosign, noteSigner, openTrusted, parseNote, signCheckpoint } from '@countersign/proofs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTrust, trustOf } from './trust-file.js';

const log = noteSigner('log.example', Buffer.alloc(32, 1));
const witness = noteSigner('witness.example', Buffer.alloc(32, 2), COSIGNATURE_V1);
const { vkey } = log.verifier;
const key = witness.verifier.vkey;
const AT_S = 1_790_000_000;
let dir: string;
beforeAll(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'trust-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function trusting(content: unknown) {
  const file = path.join(dir, 'trust.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return readTrust(file);
}

function cosignedNote(): string {
  const note = signCheckpoint({ size: 3, root: Buffer.alloc(32, 3) }, log);
  return note + cosign(parseNote(note)?.text as string, AT_S, witness);
}

describe('a file of trusted keys', () => {
  test('marks the witnesses that check heads, and since when a key does', async () => {
    const checks = async (content: unknown) => openTrusted(cosignedNote(), await trusting(content));
    const one = (more: object) => ({ log: vkey, witnesses: [{ key, ...more }] });
    const time = (s: number) => new Date(s * 1000).toISOString();
    expect(await checks(one({ checks: 'heads' }))).toMatchObject({
      cosigned: [{ name: 'witness.example', checks: 'heads', time_s: AT_S }],
    });
    expect(await checks(one({ checks: 'entries' }))).toMatchObject({ cosigned: [{ checks: 'entries' }] });
    expect(await checks(one({ checks: 'heads', heads_since: time(AT_S) }))).toMatchObject({ cosigned: [{ checks: 'heads' }] });
    expect(await checks(one({ checks: 'heads', heads_since: time(AT_S + 1) }))).toMatchObject({ cosigned: [{ checks: 'entries' }] });
    expect(await checks({ log: vkey })).toMatchObject({ size: 3, cosigned: [] });
  });

  test.each([
    ['no JSON', '{'],
    ['a misspelt member', { log: vkey, witness: [] }],
    ['a misspelt member of a witness', { log: vkey, witnesses: [{ key, checks: 'heads', since: '2026-11-23T18:00:00Z' }] }],
    ['no mark', { log: vkey, witnesses: [{ key }] }],
    ['another mark', { log: vkey, witnesses: [{ key, checks: 'all' }] }],
    ['no time', { log: vkey, witnesses: [{ key, checks: 'heads', heads_since: 'yesterday' }] }],
    ['a key of a log as a witness', { log: vkey, witnesses: [{ key: vkey, checks: 'heads' }] }],
    ['a mark in the key', { log: vkey, witnesses: [{ key: `heads:${key}`, checks: 'entries' }] }],
    ['no key of the log', { witnesses: [] }],
    ['a list', []],
    ['witnesses that are no list', { log: vkey, witnesses: {} }],
  ])('is refused with %s', async (_, content) => {
    await expect(trusting(content)).rejects.toThrow(/trust\.json|is not a key/);
  });
});

test('keys of the command line have the prefix heads:', () => {
  expect(trustOf(vkey, [key, `heads:${key}`]).witnesses.map(({ checks }) => checks)).toEqual(['entries', 'heads']);
  expect(() => trustOf(vkey, ['heads:nonsense'])).toThrow('is not a key of a witness');
  expect(() => trustOf(key.slice(1), [])).toThrow('is not a key');
});
