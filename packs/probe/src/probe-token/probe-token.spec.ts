import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testContext } from '@countersign/tool-kit/test-context';
import { expect, test } from 'vitest';
import { probeToken } from './probe-token.js';

const context = testContext({ secrets: { get: async () => 'the-token' } } as never);

test.each(['http://192.0.2.1/', 'http://169.254.169.254/latest', 'http://127.0.0.1.example.test/', 'http://[::1]/'])(
  'the token of a user goes to no other host: %s',
  async (url) => {
    await expect(probeToken.run({ url } as never, context)).rejects.toMatchObject({ code: 'POLICY_DENIED', more: { effect: 'none' } });
  },
);

test('a redirect is returned and not followed', async () => {
  const server = createServer((_request, response) => response.writeHead(302, { location: 'http://192.0.2.1/' }).end('elsewhere'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  expect(await probeToken.run({ url } as never, context)).toEqual({ status: 302, body: 'elsewhere' });
  server.close();
});
