import { Socket } from 'node:net';

/** Hosts that were connected to while `work` ran, as `host:port`. Sockets of the file system are no network. */
export async function hostsReached(work: () => Promise<unknown>): Promise<string[]> {
  const reached = new Set<string>();
  const connect = Socket.prototype.connect;
  Socket.prototype.connect = function watched(this: Socket, ...args: unknown[]) {
    const first = Array.isArray(args[0]) ? args[0][0] : args[0];
    const target = (typeof first === 'object' ? first : { port: first, host: args[1] }) as {
      host?: unknown;
      port?: unknown;
      path?: unknown;
    };
    if (target.path === undefined || target.path === null) {
      reached.add(`${typeof target.host === 'string' ? target.host : 'localhost'}:${String(target.port)}`);
    }
    return connect.apply(this, args as never);
  } as typeof connect;
  try {
    await work();
  } finally {
    Socket.prototype.connect = connect;
  }
  return [...reached];
}
