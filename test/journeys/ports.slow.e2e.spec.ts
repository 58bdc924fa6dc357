import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { freePort } from './child-process.js';
import { EmbeddedPlatform } from './embedded-platform.js';

test('a port that one process of specs was given is given to no other while it runs', async () => {
  const port = await freePort();
  const other = createSocket('udp4');
  const refused = once(other, 'error');
  other.bind({ port, address: '127.0.0.1', exclusive: true });
  expect(await refused).toEqual([expect.objectContaining({ code: 'EADDRINUSE' })]);
  other.close();
});

test('a platform whose port another process has is not taken for started, though that one answers', async () => {
  const platform = await EmbeddedPlatform.create();
  const other = createServer((_, response) => response.end('{"status":"ready"}'));
  await once(other.listen(Number(new URL(platform.base).port), '127.0.0.1'), 'listening');
  try {
    await expect(platform.up()).rejects.toThrow(/is in use: stop the process that listens on it/);
  } finally {
    other.close();
    await platform.close();
  }
});
