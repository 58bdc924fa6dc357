import { fileURLToPath } from 'node:url';

const SOCKET_INSIDE = '/tmp/egress';
const PORT = 3128;
const PROGRAM = fileURLToPath(new URL('./inside-proxy.js', import.meta.url));

/** A command that reaches its hosts through the platform: its program inside, what it must read, and the variables that name the proxy. */
export interface WithEgress {
  readonly argv: string[];
  readonly read: string[];
  readonly env: Record<string, string>;
  readonly socket: { outside: string; inside: string };
}

/** @param socket of the `Egress` outside */
export function withEgress(argv: readonly string[], socket: string): WithEgress {
  const proxy = `http://127.0.0.1:${PORT}`;
  return {
    argv: [process.execPath, PROGRAM, SOCKET_INSIDE, String(PORT), ...argv],
    read: [process.execPath, PROGRAM],
    env: { HTTPS_PROXY: proxy, https_proxy: proxy, HTTP_PROXY: proxy, http_proxy: proxy, NODE_USE_ENV_PROXY: '1' },
    socket: { outside: socket, inside: SOCKET_INSIDE },
  };
}
