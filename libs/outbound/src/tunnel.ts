import { connect, isIPv6, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { checkedLookup } from './checked-lookup.js';
import { failed, type OutboundFault } from './exchange.js';
import { networkFault } from './network-faults.js';
import { routeTo, type Ways } from './route.js';

/** A connection to a host for bytes of another program. */
export type Tunnel = { kind: 'connected'; socket: Duplex } | OutboundFault;

/** Connects to a host and port that the rules accept, directly or through the operator's proxy. `url`: `https://host:port/`. */
export async function openTunnel(url: URL, ways: Ways, signal: AbortSignal): Promise<Tunnel> {
  try {
    const route = await routeTo(url, ways, signal);
    const socket = route === 'direct' ? await connected(url, ways, signal) : await throughProxy(route.proxy, route.address, url, signal);
    return 'kind' in socket ? socket : { kind: 'connected', socket };
  } catch (cause) {
    return networkFault(cause, signal);
  }
}

const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));

function connected(url: URL, { rules, resolve }: Ways, signal: AbortSignal): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return new Promise((done, fail) => {
    const socket = connect({ host, port: portOf(url), lookup: checkedLookup(url, rules, resolve) });
    const abort = () => socket.destroy(new Error('the connection was not made in time'));
    signal.addEventListener('abort', abort, { once: true });
    socket.once('connect', () => {
      signal.removeEventListener('abort', abort);
      socket.off('error', fail);
      done(socket);
    });
    socket.once('error', fail);
  });
}

/** The proxy connects to the address that was checked here; it resolves no name. */
async function throughProxy(proxy: URL, address: string, url: URL, signal: AbortSignal): Promise<Duplex | OutboundFault> {
  const undici = await import('undici');
  const client = new undici.Client(proxy.origin);
  const path = `${isIPv6(address) ? `[${address}]` : address}:${portOf(url)}`;
  const { statusCode, socket } = await client.connect({ path, headers: { host: path, ...proxyCredentials(proxy) }, signal });
  if (statusCode === 200) return socket;
  socket.destroy();
  return failed('network', `the proxy refused the connection with status ${statusCode}`);
}

function proxyCredentials({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
