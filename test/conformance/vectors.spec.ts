import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventSchemas } from '@countersign/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const PAGE = path.join(process.cwd(), 'docs/reference/proofs.md');
const SCRIPT = path.join(process.cwd(), 'test/conformance/python/verify_vectors.py');
const EDITS = 25;
const text = readFileSync(PAGE, 'utf8');
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'vectors-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function verdict(page: string) {
  const file = path.join(dir, 'proofs.md');
  await writeFile(file, page);
  const { status, stdout, stderr } = spawnSync('python3', ['-B', SCRIPT, file], { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

describe('the vectors of docs/reference/proofs.md, computed in Python', () => {
  test('are what the page shows', async () => {
    expect(await verdict(text)).toEqual({ status: 0, output: 'verified: 14 vectors, 16 records, 7 entries\n' });
  });

  test('are refused after any change of one character', async () => {
    const from = text.indexOf('<!-- vector keys -->');
    const places = [...text.slice(from, text.indexOf('## What this proves')).matchAll(/(?<=": ?"|"|\[)[A-Za-z0-9+/]{8,}/g)];
    expect(places.length).toBeGreaterThan(200);
    for (let n = 0; n < EDITS; n++) {
      const { index, 0: found } = places[Math.floor((n * places.length) / EDITS)] as RegExpMatchArray & { index: number };
      const at = from + index + 1 + (n % (found.length - 1));
      const edited = `${text.slice(0, at)}${text[at] === 'B' ? 'C' : 'B'}${text.slice(at + 1)}`;
      expect([at, found, (await verdict(edited)).status]).toEqual([at, found, 1]);
    }
  });
});

test('the page and both strangers know the schema of decisions by its hash', () => {
  const [{ schema }] = eventSchemas.filter(({ event_type }) => event_type === 'damage_accepted') as [(typeof eventSchemas)[number]];
  const hash = createHash('sha256').update(schema).digest('hex');
  for (const file of [PAGE, 'test/conformance/go/decisions.go', 'test/conformance/python/entries.py'])
    expect([file, readFileSync(file, 'utf8').includes(hash)]).toEqual([file, true]);
});
