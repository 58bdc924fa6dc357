import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AddressRules } from './address-rules.js';
import type { ResolveAll } from './checked-lookup.js';
import { OutboundDoor } from './outbound-door.js';
import { Proxies } from './proxies.js';

const PUBLIC = '93.184.216.34';
const listening = (server: { listen(port: number, host: string): unknown; once(event: string, f: () => void): unknown }) =>
  new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1');
    server.once('listening', resolve);
  });
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

let web: Server;
let proxy: Server;
/** The port to which the proxy connects, whatever is requested. */
let leads_to: number;
let refuses: boolean;
let tunnels: IncomingMessage[];
let requests: IncomingMessage[];

beforeEach(async () => {
  [tunnels, requests, refuses] = [[], [], false];
  web = createServer((request, response) => {
    requests.push(request);
    response.end('ok');
  });
  proxy = createServer((request) => request.destroy());
  proxy.on('connect', (request: IncomingMessage, client: Socket) => {
    tunnels.push(request);
    if (refuses) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const server = connect(leads_to, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    for (const socket of [client, server]) socket.on('error', () => [client, server].map((each) => each.destroy()));
    client.pipe(server).pipe(client);
  });
  await Promise.all([listening(web), listening(proxy)]);
  leads_to = portOf(web);
});
afterEach(() => {
  for (const server of [web, proxy]) {
    server.closeAllConnections();
    server.close();
  }
});

const answering =
  (...answers: string[]): ResolveAll =>
  (_name, _options, done) =>
    done(null, [{ address: answers.shift() ?? PUBLIC, family: 4 }]);

const ask = (
  url: string,
  { rules = AddressRules.forCallbacks(false), resolve = answering(PUBLIC), login = '', port = portOf(proxy), ms = 10_000 } = {},
) =>
  new OutboundDoor(rules, Proxies.of(`http://${login}127.0.0.1:${port}`, {}), resolve).exchange({
    ...{ method: 'POST', url, headers: { 'x-a': 'b' }, body: 'text', redirects_max: 0 },
    answer: { bytes_max: 100, when_larger: 'cut' },
    signal: AbortSignal.timeout(ms),
  });

describe('with a proxy', () => {
  test('the proxy receives the checked address, and the server receives the name', async () => {
    expect(await ask('http://hooks.example.com/x', { login: 'user:pass@' })).toMatchObject({
      status: 200,
      url: 'http://hooks.example.com/x',
    });
    expect(tunnels[0]?.url).toBe(`${PUBLIC}:80`);
    expect(tunnels[0]?.headers['proxy-authorization']).toBe(`Basic ${Buffer.from('user:pass').toString('base64')}`);
    expect([requests[0]?.url, requests[0]?.headers.host, requests[0]?.headers['x-a']]).toEqual(['/x', 'hooks.example.com', 'b']);
    expect(requests[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  test('over https the certificate is checked against the name', async () => {
    const names: string[] = [];
    const secure = createTlsServer({
      SNICallback: (name, done) => {
        names.push(name);
        done(new Error('no certificate'));
      },
    }).on('tlsClientError', () => undefined);
    await listening(secure);
    leads_to = portOf(secure);
    expect(await ask('https://hooks.example.com:8443/')).toMatchObject({ kind: 'failed', reason: 'network' });
    secure.close();
    expect([tunnels[0]?.url, names]).toEqual([`${PUBLIC}:8443`, ['hooks.example.com']]);
  });

  test('a forbidden address is refused before the proxy, which receives no request', async () => {
    for (const address of ['169.254.169.254', '10.0.0.1'])
      expect(await ask('http://hooks.example.com/', { resolve: answering(address) })).toMatchObject({ reason: 'address', unsent: true });
    expect(await ask('http://10.0.0.1/')).toMatchObject({ reason: 'address' });
    expect(tunnels).toEqual([]);
  });

  test('an allowed private address is reached directly', async () => {
    const url = `http://intranet.corp:${portOf(web)}/`;
    const resolve = answering('127.0.0.1', '127.0.0.1');
    expect(await ask(url, { rules: AddressRules.forCallbacks(true), resolve })).toMatchObject({ status: 200 });
    expect(tunnels).toEqual([]);
  });

  test('a request that the proxy refuses was not sent', async () => {
    refuses = true;
    expect(await ask('http://hooks.example.com/')).toMatchObject({ reason: 'network', unsent: true });
    expect(requests).toEqual([]);
  });

  test('a name server that does not respond delays a request until its deadline at most', async () => {
    expect(await ask('http://hooks.example.com/', { resolve: () => undefined, ms: 100 })).toMatchObject({ reason: 'timeout' });
  });

  test('a proxy that does not respond is a refused connection, and nothing was sent', async () => {
    expect(await ask('http://hooks.example.com/', { port: 1 })).toMatchObject({ reason: 'network', code: 'ECONNREFUSED', unsent: true });
  });
});
