import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { Socket } from 'node:net';

/** The diagnostics channels of Node for requests: `fetch` uses the first, `http` and `https` the second. */
const FETCHED = 'undici:request:create';
const REQUESTED = 'http.client.request.start';

/** Hosts to which `work` connected, or whose existing connection it used, as `host:port`. */
export async function hostsReached(work: () => Promise<unknown>): Promise<string[]> {
  const reached = new Set<string>();
  const fetched = (message: unknown) => add(reached, String((message as { request: { origin: unknown } }).request.origin));
  const requested = (message: unknown) => {
    const { request } = message as { request: ClientRequest & { socketPath?: string } };
    if (!request.socketPath) add(reached, `${request.protocol}//${String(request.getHeader('host') ?? request.host)}`);
  };
  const connect = Socket.prototype.connect;
  Socket.prototype.connect = function watched(this: Socket, ...args: unknown[]) {
    connected(reached, args);
    return connect.apply(this, args as never);
  } as typeof connect;
  subscribe(FETCHED, fetched);
  subscribe(REQUESTED, requested);
  try {
    await work();
  } finally {
    Socket.prototype.connect = connect;
    unsubscribe(FETCHED, fetched);
    unsubscribe(REQUESTED, requested);
  }
  return [...reached];
}

function add(reached: Set<string>, origin: string): void {
  if (!URL.canParse(origin)) return;
  const { protocol, hostname, port } = new URL(origin);
  reached.add(`${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`);
}

/** Unix sockets do not count as network. */
function connected(reached: Set<string>, args: unknown[]): void {
  const first = Array.isArray(args[0]) ? args[0][0] : args[0];
  const target = (typeof first === 'object' ? first : { port: first, host: args[1] }) as {
    host?: unknown;
    port?: unknown;
    path?: unknown;
  };
  if (target.path === undefined || target.path === null) {
    reached.add(`${typeof target.host === 'string' ? target.host : 'localhost'}:${String(target.port)}`);
  }
}
