import { Socket } from 'node:net';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1']);

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

/** Whether `host:port` is one of the declared hosts (`host`, `host:port`, `*.host`, `*`). */
export function isDeclared(target: string, declared: readonly string[]): boolean {
  const at = target.lastIndexOf(':');
  const host = target.slice(0, at).toLowerCase();
  return declared.some((pattern) => {
    const [, name = '', port] = /^(.*?)(?::(\d+))?$/.exec(pattern.toLowerCase()) ?? [];
    if (port !== undefined && port !== target.slice(at + 1)) return false;
    return name === '*' || name === host || (name.startsWith('*.') && host.endsWith(name.slice(1)));
  });
}

/** A host of this machine. */
export function isLoopback(declared: string): boolean {
  return LOOPBACK.has(declared.replace(/:\d+$/, ''));
}
