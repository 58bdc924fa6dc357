import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FolderBlobs } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FeatureApp } from '../testing/feature-app.js';
import { BlobsModule } from './blobs.module.js';
import { BlobsService } from './blobs.service.js';

let app: FeatureApp;
let dir: string;
let name: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'countersign-blobs-'));
  const blobs = new FolderBlobs(dir);
  name = (await blobs.put('acme', Buffer.from('a,b\n1,2\n'), 'text/csv')).name;
  app = await FeatureApp.open([BlobsModule], [{ provide: BlobsService, useValue: new BlobsService(blobs, undefined) }]);
});
afterAll(async () => {
  await app.close();
  await rm(dir, { recursive: true, force: true });
});

test('a blob is sent byte for byte, as a download that no page renders, and not again if the client has it', async () => {
  const { status, text, headers } = await app.send('GET', `/v1/blobs/${name}`, { role: 'agent' });
  expect([status, text]).toEqual([200, 'a,b\n1,2\n']);
  expect(headers).toMatchObject({
    'content-disposition': `attachment; filename="${name}"`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-cache',
  });
  expect(headers['content-type']).toMatch(/^text\/csv/);
  const known = { 'if-none-match': headers.etag as string };
  expect((await app.send('GET', `/v1/blobs/${name}`, { role: 'agent', headers: known })).status).toBe(304);
});

test('an unknown blob is 404, and a missing token 401', async () => {
  expect((await app.send('GET', '/v1/blobs/none', { role: 'agent' })).status).toBe(404);
  expect((await app.send('GET', `/v1/blobs/${name}`)).status).toBe(401);
});
