import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AddressRules } from './address-rules.js';
import type { ResolveAll } from './checked-lookup.js';
import { OutboundDoor } from './outbound-door.js';
import { Proxies } from './proxies.js';

let server: Server;
let answer: (response: ServerResponse) => void;
let tunnels: IncomingMessage[];
let host: string;

beforeEach(async () => {
  [tunnels, answer] = [[], (response) => void response.end('ok')];
  server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    tunnels.push(request);
    const upstream = connect((server.address() as AddressInfo).port, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    for (const socket of [client, upstream]) socket.on('error', () => [client, upstream].map((each) => each.destroy()));
    client.pipe(upstream).pipe(client);
  });
  await new Promise((resolve) => server.once('listening', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const DIRECT = Proxies.of(undefined, {});
const to =
  (address: string): ResolveAll =>
  (_name, _options, done) =>
    done(null, [{ address, family: 4 }]);
const doorTo = (hosts: string[]) => new OutboundDoor(AddressRules.forToolEndpoints(new Set(hosts)), DIRECT);
const signal = () => AbortSignal.timeout(10_000);
const get = (door: OutboundDoor, url: string, abort = signal()) => door.open({ method: 'GET', url, headers: {}, signal: abort });

describe('a stream', () => {
  test('is read while the server still writes, and ends with its signal', async () => {
    answer = (response) => void response.write('first');
    const abort = new AbortController();
    const opened = await get(doorTo([host]), `http://${host}/`, abort.signal);
    if (opened.kind === 'failed') throw new Error(opened.message);
    const parts = opened.body[Symbol.asyncIterator]();
    expect(String((await parts.next()).value)).toBe('first');
    abort.abort();
    await expect(parts.next()).rejects.toThrow();
  });

  test('to a private host that is not listed is refused, also by its resolved address', async () => {
    expect(await get(doorTo([]), `https://${host}/`)).toMatchObject({ kind: 'failed', reason: 'address', unsent: true });
    const door = new OutboundDoor(AddressRules.forToolEndpoints(new Set()), DIRECT, to('127.0.0.1'));
    expect(await get(door, 'https://mcp.example.com/')).toMatchObject({ kind: 'failed', reason: 'address', unsent: true });
  });

  test('of a redirect is the redirect itself', async () => {
    answer = (response) => void response.writeHead(307, { location: 'http://169.254.169.254/' }).end();
    const opened = await get(doorTo([host]), `http://${host}/`);
    expect(opened).toMatchObject({ kind: 'opened', status: 307 });
  });
});

const request = (socket: { write(text: string): unknown; once(event: 'data', take: (bytes: Buffer) => void): unknown }) =>
  new Promise<string>((resolve) => {
    socket.once('data', (bytes) => resolve(bytes.toString()));
    socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  });

describe('a tunnel', () => {
  const port = () => Number(host.split(':')[1]);

  test('carries bytes to a listed host', async () => {
    const tunnel = await doorTo([host]).connect('127.0.0.1', port(), signal());
    if (tunnel.kind === 'failed') throw new Error(tunnel.message);
    expect(await request(tunnel.socket)).toContain('200 OK');
    tunnel.socket.destroy();
  });

  test('to an address that is not public is refused: as text, and as the answer of a name server', async () => {
    expect(await doorTo([]).connect('127.0.0.1', port(), signal())).toMatchObject({ kind: 'failed', reason: 'address' });
    for (const address of ['10.0.0.1', '169.254.169.254']) {
      const door = new OutboundDoor(AddressRules.forToolEndpoints(new Set()), DIRECT, to(address));
      expect(await door.connect('api.example.com', 443, signal())).toMatchObject({ kind: 'failed', reason: 'address' });
    }
  });

  test('goes through the proxy of the operator, to the address that was checked', async () => {
    const door = new OutboundDoor(AddressRules.forToolEndpoints(new Set()), Proxies.of(`http://${host}`, {}), to('93.184.216.34'));
    const tunnel = await door.connect('api.example.com', 8443, signal());
    if (tunnel.kind === 'failed') throw new Error(tunnel.message);
    expect(await request(tunnel.socket)).toContain('200 OK');
    expect(tunnels.map(({ url }) => url)).toEqual(['93.184.216.34:8443']);
    tunnel.socket.destroy();
  });
});
