import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import type { Tool, ToolError } from '@countersign/tool-kit';
import { testContext } from '@countersign/tool-kit/test-context';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { httpRequest } from './http-request.js';
import { httpSend } from './http-send.js';

let canary: Server;
let canaryPort: number;
let canaryHits = 0;
beforeAll(async () => {
  canary = createServer((_, response) => {
    canaryHits++;
    response.end('SECRET');
  }).listen(0, '::');
  await new Promise((resolve) => canary.once('listening', resolve));
  canaryPort = (canary.address() as AddressInfo).port;
});
afterAll(() => {
  canary.closeAllConnections();
  canary.close();
});

const faultOf = (tool: Tool, input: Record<string, unknown>, settings: Record<string, string> = {}) =>
  tool.run(input as never, testContext({ settings })).then(
    (httpAnswer) => {
      throw new Error(`it answered ${JSON.stringify(httpAnswer)}`);
    },
    (fault: ToolError) => fault,
  );

describe('addresses outside the public internet', () => {
  const spellings = [
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'foo.localhost',
    '0.0.0.0',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '127.127.127.127',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    hostname(),
  ];
  const ranges = [
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.254',
    '192.168.1.1',
    '100.64.0.1',
    '100.127.255.254',
    '169.254.169.254',
    '169.254.0.1',
    '192.0.0.8',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '[fe80::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
    '[2002:7f00:1::]',
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::a9fe:a9fe]',
  ];

  test.each([...spellings, ...ranges])('%s is refused before anything is sent', async (host) => {
    for (const tool of [httpRequest, httpSend]) {
      const fault = await faultOf(tool, { url: `http://${host}:${canaryPort}/x`, ...(tool === httpSend ? { method: 'POST' } : {}) });
      expect(['POLICY_DENIED', 'VALIDATION_ERROR', 'NETWORK_ERROR']).toContain(fault.code);
      expect(fault.more.effect).toBe('none');
    }
    expect(canaryHits).toBe(0);
  });

  test('credentials in a URL and other schemes are refused', async () => {
    for (const url of [
      'http://user:pass@example.com/',
      'http://user@127.0.0.1/',
      'ftp://example.com/',
      'file:///etc/passwd',
      'data:text/plain,x',
      'blob:x',
      'javascript:1',
    ])
      expect(['POLICY_DENIED', 'VALIDATION_ERROR']).toContain((await faultOf(httpRequest, { url })).code);
  });

  test.each([
    '169.254.169.254',
    '2852039166',
    '0xa9.254.0251.0376',
    '169.254.170.2',
    '100.100.100.200',
    'metadata.google.internal.',
    '[fd00:ec2::254]',
    '[::ffff:169.254.169.254]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:a9fe:a9fe::1]',
  ])('the metadata service %s is refused even where its host is listed', async (host) => {
    const url = `http://${host}/latest`;
    const settings = { COUNTERSIGN_HTTP_ALLOW: `${host},${new URL(url).hostname}` };
    for (const tool of [httpRequest, httpSend]) {
      const fault = await faultOf(tool, { url, ...(tool === httpSend ? { method: 'POST' } : {}) }, settings);
      expect(fault).toMatchObject({ code: 'POLICY_DENIED', more: { effect: 'none', details: { reason: 'address' } } });
    }
  });

  test('a listed host that redirects to a metadata service is not followed', async () => {
    const listed = createServer((_, response) => response.writeHead(302, { location: 'http://2852039166/latest' }).end()).listen(
      0,
      '127.0.0.1',
    );
    await new Promise((resolve) => listed.once('listening', resolve));
    const host = `127.0.0.1:${(listed.address() as AddressInfo).port}`;
    const settings = { COUNTERSIGN_HTTP_ALLOW: `${host},169.254.169.254` };
    expect(await faultOf(httpRequest, { url: `http://${host}/` }, settings)).toMatchObject({ code: 'POLICY_DENIED' });
    listed.close();
  });
});
