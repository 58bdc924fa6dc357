import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Callbacks, Readable, WatchedCalls } from '@countersign/calls';
import { CALL_ID, placed, sampleCall, sampleEnd, sampleMeta, sampleRuling } from '@countersign/calls/testing/samples';
import { tenantKey } from '@countersign/contracts';
import { AddressRules, OutboundDoor } from '@countersign/outbound';
import { createLogger } from '@countersign/process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CallbackSender, callbackSecret } from './callback-sender.js';

const keys = { tenantKey: (tenant: string) => tenantKey(Buffer.alloc(32, 3), tenant) };
const NOW = 1_700_000_000_000;

describe('a callback', () => {
  let server: Server;
  let url: string;
  let statuses: number[];
  const got: { headers: IncomingHttpHeaders; body: string }[] = [];
  beforeEach(async () => {
    got.length = 0;
    statuses = [];
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        got.push({ headers: request.headers, body });
        response.writeHead(statuses.shift() ?? 200, { location: url }).end();
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  });
  afterEach(() => new Promise<void>((done) => server.close(() => done())));

  const sender = (allowPrivate = true) => new CallbackSender(keys, () => NOW, new OutboundDoor(AddressRules.forCallbacks(allowPrivate)));
  const callback = () => ({ url, tenant_id: 'acme', webhook_id: 'w1', body: '{"a":1}' });

  test('is signed by the rules of Standard Webhooks, with a secret of its tenant', async () => {
    expect(await sender().send(callback())).toBe('taken');
    const [{ headers, body }] = got as [{ headers: IncomingHttpHeaders; body: string }];
    const secret = Buffer.from(callbackSecret(keys, 'acme').slice(6), 'base64');
    const expected = createHmac('sha256', secret)
      .update(`w1.${NOW / 1000}.${body}`)
      .digest('base64');
    expect(headers).toMatchObject({ 'webhook-id': 'w1', 'webhook-timestamp': String(NOW / 1000), 'webhook-signature': `v1,${expected}` });
    expect(callbackSecret(keys, 'globex')).not.toBe(callbackSecret(keys, 'acme'));
  });

  test('is retried after a failure, but not after 410, and follows no redirect', async () => {
    statuses = [500, 302, 410];
    expect(await sender().send(callback())).toBe('try_again');
    expect(await sender().send(callback())).toBe('try_again');
    expect(await sender().send(callback())).toBe('refused');
    expect(got).toHaveLength(3);
  });

  test('goes to no private address in any notation, unless that is allowed', async () => {
    expect(await sender(false).send(callback())).toBe('refused');
    expect(await sender(false).send({ ...callback(), url: url.replace('127.0.0.1', 'localhost') })).toBe('refused');
    expect(got).toHaveLength(0);
  });

  test('has the envelope of the ended call, and is repeated with the same id until it is accepted', async () => {
    statuses = [503];
    const watchedCalls = new WatchedCalls();
    const settled: string[] = [];
    const owed = { owe: async () => undefined, settle: (callId: string) => void settled.push(callId) };
    const callbacks = new Callbacks(sender(), watchedCalls, { logger: createLogger('test', 'silent'), readable: Readable.plain, owed });
    const call = sampleCall({ callback_url: url });
    watchedCalls.admit(CALL_ID, 'acme', undefined, undefined);
    callbacks.watch(CALL_ID, 'acme');
    watchedCalls.apply(placed('tool_call_requested', { meta: sampleMeta(), call }, 'tool-call-requested'));
    watchedCalls.apply(placed('policy_decided', sampleRuling({ call }), 'policy-decided'));
    expect(got).toHaveLength(0);
    watchedCalls.apply(placed('tool_executed', sampleEnd(), 'tool-executed'));
    while (got.length < 1) await new Promise((done) => setTimeout(done, 10));
    expect(settled).toEqual([]);
    while (settled.length < 1) await new Promise((done) => setTimeout(done, 10));
    callbacks.close();
    expect(settled).toEqual([CALL_ID]);
    expect(got.map(({ headers }) => headers['webhook-id'])).toEqual(Array(2).fill(sampleMeta().event_id));
    expect(JSON.parse(got[1]?.body as string)).toMatchObject({ type: 'call.ended', data: { call_id: CALL_ID, status: 'succeeded' } });
    expect(watchedCalls.size).toBe(0);
  });
});
