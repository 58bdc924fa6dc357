import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isInfrastructureFault } from '@countersign/contracts';
import { expect, test } from 'vitest';
import { pathOf } from './blobs.js';
import { describeBlobs } from './blobs.suite.js';
import { FolderBlobs } from './folder-blobs.js';

const folder = () => mkdtemp(path.join(tmpdir(), 'countersign-blobs-'));

describeBlobs('a folder', async () => {
  const dir = await folder();
  return {
    blobs: new FolderBlobs(dir),
    corrupt: (tenant_id, name) => writeFile(path.join(dir, pathOf(tenant_id, name)), 'something else'),
    close: () => rm(dir, { recursive: true }),
  };
});

test('a folder that is not writable is an infrastructure fault and leaves no temporary files', async () => {
  const dir = await folder();
  await writeFile(path.join(dir, 'acme'), 'a file where the folder belongs');
  const failed = await new FolderBlobs(dir).put('acme', Buffer.from('x'), 'text/plain').then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(isInfrastructureFault(failed)).toBe(true);
  expect(await readdir(dir)).toEqual(['acme']);
  await rm(dir, { recursive: true });
});
