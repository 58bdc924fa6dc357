import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AddressRules } from './address-rules.js';
import type { ResolveAll } from './checked-lookup.js';
import type { Exchanged, OutboundRequest } from './exchange.js';
import { OutboundDoor } from './outbound-door.js';
import { Proxies } from './proxies.js';
import { exchangeText } from './text-exchange.js';

let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let requests: IncomingMessage[];
let port: number;

beforeEach(async () => {
  requests = [];
  answer = (_, response) => response.end('ok');
  server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const open = AddressRules.forCallbacks(true);
const NO_PROXY = Proxies.of(undefined, { HTTP_PROXY: 'http://127.0.0.1:1', HTTPS_PROXY: 'http://127.0.0.1:1' });
const ask = (door: OutboundDoor, url: string, more: Partial<OutboundRequest> = {}): Promise<Exchanged> =>
  door.exchange({
    ...{ method: 'GET', url, headers: {}, redirects_max: 0, signal: AbortSignal.timeout(10_000) },
    answer: { bytes_max: 1000, when_larger: 'cut' },
    ...more,
  });
const outcomeOf = (exchanged: Exchanged) => (exchanged.kind === 'answered' ? exchanged.status : exchanged.reason);

/** A name server whose responses change from one query to the next. */
function answering(...answers: string[][]): { resolve: ResolveAll; left: string[][] } {
  const left = [...answers];
  const resolve: ResolveAll = (_name, _options, done) =>
    done(
      null,
      (left.shift() ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  return { resolve, left };
}

describe('a name whose addresses change', () => {
  const get = (resolve: ResolveAll) => ask(new OutboundDoor(open, NO_PROXY, resolve), `http://rebinding.example:${port}/`);

  test('is resolved once for each connection, and the connection uses the checked address', async () => {
    const { resolve, left } = answering(['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1']);
    expect(outcomeOf(await get(resolve))).toBe(200);
    expect(left).toHaveLength(2);
    expect(await get(resolve)).toMatchObject({ reason: 'address', unsent: true });
    expect(left).toHaveLength(1);
    expect(requests).toHaveLength(1);
  });

  test('is refused if one of its addresses is forbidden, or it has none', async () => {
    const { resolve } = answering(['127.0.0.1', '::ffff:a9fe:a9fe'], []);
    expect([outcomeOf(await get(resolve)), outcomeOf(await get(resolve))]).toEqual(['address', 'address']);
    expect(requests).toHaveLength(0);
  });

  test('is refused for a public caller if it becomes private after the URL was accepted', async () => {
    const door = new OutboundDoor(AddressRules.forCallbacks(false), NO_PROXY, answering(['127.0.0.1']).resolve);
    const url = `http://hooks.example.com:${port}/`;
    expect(door.fault(url)).toBeUndefined();
    expect(await ask(door, url)).toMatchObject({ reason: 'address', message: 'hooks.example.com is not a public address' });
    expect(requests).toHaveLength(0);
  });
});

describe('a redirect', () => {
  const redirect = (location: string) => {
    answer = (_, response) => response.writeHead(302, { location }).end('moved');
  };
  const home = () => `http://127.0.0.1:${port}/`;

  test('is the response unless the caller follows it', async () => {
    redirect('http://elsewhere.example/');
    expect(await ask(new OutboundDoor(open), home())).toMatchObject({ kind: 'answered', status: 302, redirects: [] });
    expect(await exchangeText(new OutboundDoor(AddressRules.forIdentity(true)), home())).toMatchObject({ status: 302, text: 'moved' });
  });

  test('is checked like the first address', async () => {
    const tools = new OutboundDoor(AddressRules.forTools(new Set([`127.0.0.1:${port}`])));
    for (const [location, reason] of [
      ['http://169.254.169.254/', 'address'],
      ['http://2852039166/', 'address'],
      [`http://localhost:${port}/`, 'address'],
      ['file:///etc/passwd', 'scheme'],
      ['http://user@example.com/', 'credentials'],
      ['http://[', 'redirect'],
    ] as const) {
      redirect(location);
      expect([location, outcomeOf(await ask(tools, home(), { redirects_max: 5 }))]).toEqual([location, reason]);
    }
  });

  test('is followed up to the limit', async () => {
    redirect('/again');
    expect(await ask(new OutboundDoor(open), home(), { redirects_max: 3 })).toMatchObject({
      reason: 'redirect',
      message: 'the server redirected more than 3 times',
    });
    expect(requests).toHaveLength(4);
  });

  test('sends no header of the first origin to another origin', async () => {
    answer = ({ url }, response) =>
      url === '/' ? response.writeHead(307, { location: `http://localhost:${port}/there` }).end() : response.end('ok');
    const headers = { authorization: 'Bearer x', 'idempotency-key': 'k', 'if-none-match': 'e', accept: 'a/b' };
    const resolve = answering(['127.0.0.1']).resolve;
    expect(outcomeOf(await ask(new OutboundDoor(open, NO_PROXY, resolve), home(), { headers, redirects_max: 1 }))).toBe(200);
    expect(requests[0]?.headers).toMatchObject(headers);
    const there = requests[1]?.headers ?? {};
    expect([there.accept, there.authorization, there['idempotency-key'], there['if-none-match']]).toEqual([
      'a/b',
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('a response', () => {
  const url = () => `http://127.0.0.1:${port}/`;
  const door = new OutboundDoor(open);

  test("without an end is cut, or fails, at the caller's size limit", async () => {
    answer = (_, response) => {
      const more = () => void (response.writable && response.write('x'.repeat(600), () => setImmediate(more)));
      more();
    };
    const cut = await ask(door, url());
    expect([cut.kind === 'answered' && cut.cut, cut.kind === 'answered' && cut.bytes.length]).toEqual([true, 1000]);
    expect(outcomeOf(await ask(door, url(), { answer: { bytes_max: 1000, when_larger: 'fail' } }))).toBe('too_large');
  });

  test('that drips ends at the deadline, however often a byte arrives', async () => {
    answer = (_, response) => {
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
    };
    expect(outcomeOf(await ask(door, url(), { signal: AbortSignal.timeout(300) }))).toBe('timeout');
  });

  test('with slow headers ends at the deadline too, also if only the status counts', async () => {
    answer = (request) => {
      request.socket.write('HTTP/1.1 200 OK\r\nx-drip: ');
      const drip = setInterval(() => request.socket.write('x'), 20);
      request.socket.on('close', () => clearInterval(drip));
    };
    const signal = AbortSignal.timeout(300);
    expect(await ask(door, url(), { answer: 'status_only', signal })).toMatchObject({ reason: 'timeout', unsent: false });
  });

  test('with status_only is returned after its headers, and its body keeps the connection open until the deadline at most', async () => {
    let closed: Promise<unknown> | undefined;
    answer = (_, response) => {
      closed = new Promise((resolve) => response.on('close', resolve));
      response.writeHead(206).write('x');
    };
    expect(await ask(door, url(), { answer: 'status_only', signal: AbortSignal.timeout(500) })).toMatchObject({
      kind: 'answered',
      status: 206,
    });
    await closed;
  });

  test('with status_only is read up to 64 KiB at most', async () => {
    let written = 0;
    const closed = new Promise<void>((resolve) => {
      answer = (_, response) => {
        response.on('close', resolve);
        const more = () => void (response.writable && response.write('x'.repeat(16_384), () => ++written && setImmediate(more)));
        more();
      };
    });
    expect(outcomeOf(await ask(door, url(), { answer: 'status_only' }))).toBe(200);
    await closed;
    expect(written).toBeLessThan(1000);
  });

  test('with more than 32 KiB of headers is refused', async () => {
    answer = (_, response) => response.writeHead(200, { 'x-long': 'x'.repeat(33_000) }).end();
    expect(outcomeOf(await ask(door, url()))).toBe('network');
  });

  test('that never arrives: a refused connection is unsent, a lost one may have been sent', async () => {
    expect(await ask(door, 'http://127.0.0.1:1/')).toMatchObject({ reason: 'network', code: 'ECONNREFUSED', unsent: true });
    answer = (request) => request.socket.destroy();
    expect(await ask(door, url())).toMatchObject({ reason: 'network', unsent: false });
  });
});
