import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { forgeRecord } from '@countersign/event-log/testing/forged-journal';
import type { TreeSpan } from '@countersign/proofs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SignedInstallation } from '../testing/signed-installation.js';
import { TreeRehash } from './tree-rehash.js';

const TOPIC = 'tool-executed';
let installation: SignedInstallation;

beforeEach(async () => {
  installation = await SignedInstallation.open(await mkdtemp(path.join(tmpdir(), 'rehash-')));
});
afterEach(() => installation.remove());

async function rehashed() {
  const [span] = (await installation.judge().signed()).filter(({ head }) => head.partition === 0);
  const run = new TreeRehash({ log: installation.log, ...installation.evidence() }).run((span as TreeSpan).head);
  for (;;) {
    const { done, value } = await run.next();
    if (done) return value;
  }
}

test('a complete tile above the leaves is rewritten if the log matches, and unchanged if it does not', async () => {
  await installation.append(65_536 + 300);
  await installation.sign();
  const upper = path.join(installation.dir, 'trees', TOPIC, '0', '1', '000');
  const whole = await readFile(upper);
  const torn = Buffer.alloc(whole.length, 7);
  await writeFile(upper, torn);
  expect(await rehashed()).toEqual([]);
  expect((await readFile(upper)).equals(whole)).toBe(true);
  await writeFile(upper, torn);
  await installation.whileStopped(() =>
    forgeRecord(installation.logDir, { topic: TOPIC, partition: 0, offset: 300 }, (value) => void value.write('a lie')),
  );
  expect(await rehashed()).toEqual([{ first: 300, last: 300 }]);
  expect((await readFile(upper)).equals(torn)).toBe(true);
});

test('if the record and its leaf in the tile were both replaced, every record of the tree may be the changed one', async () => {
  await installation.append(700);
  await installation.sign();
  await installation.whileStopped(() =>
    forgeRecord(installation.logDir, { topic: TOPIC, partition: 0, offset: 300 }, (value) => void value.write('a lie')),
  );
  const leaves = path.join(installation.dir, 'trees', TOPIC, '0', '0', '001');
  await writeFile(leaves, Buffer.alloc(0));
  expect(await rehashed()).toEqual([{ first: 0, last: 699 }]);
});
