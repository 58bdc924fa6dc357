import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Duplex, pipeline } from 'node:stream';
import type { OutboundDoor } from '@countersign/outbound';

const CONNECTIONS_MAX = 64;
const CONNECT_MS = 10_000;
const HTTPS_PORT = 443;

/** `host` or `host:port`, as a request of `CONNECT` names it. */
function addressOf(text: string): { host: string; port: number } | undefined {
  const [, host, port] = /^([a-z0-9.-]+):(\d{1,5})$/i.exec(text) ?? [];
  return host === undefined ? undefined : { host: host.toLowerCase(), port: Number(port) };
}

/**
 * The way out of one sandboxed process: a proxy on a unix socket that connects to the listed hosts and no others, through the outbound
 * door. It takes `CONNECT` alone, so what passes is encrypted by the process itself.
 */
export class Egress {
  private readonly open = new Set<Duplex>();

  private constructor(
    readonly socket: string,
    private readonly server: Server,
  ) {}

  /** @param hosts `host` for port 443, or `host:port` */
  static async start(hosts: readonly string[], door: Pick<OutboundDoor, 'connect'>): Promise<Egress> {
    const folder = await mkdtemp(path.join(tmpdir(), 'countersign-egress-'));
    const socket = path.join(folder, 'socket');
    const server = createServer((_, response) => response.writeHead(405).end('only CONNECT\n'));
    const egress = new Egress(socket, server);
    const allowed = new Set(hosts.map((host) => (host.includes(':') ? host : `${host}:${HTTPS_PORT}`)));
    server.on('connect', (request: IncomingMessage, client: Duplex) => void egress.connect(request, client, { allowed, door }));
    server.on('error', () => undefined);
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    return egress;
  }

  async close(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    rmSync(path.dirname(this.socket), { recursive: true, force: true });
  }

  private async connect(
    { url = '' }: IncomingMessage,
    client: Duplex,
    { allowed, door }: { allowed: ReadonlySet<string>; door: Pick<OutboundDoor, 'connect'> },
  ): Promise<void> {
    client.on('error', () => undefined);
    const address = addressOf(url);
    if (!address || !allowed.has(`${address.host}:${address.port}`)) return refuse(client, 403, 'this host is not listed');
    if (this.open.size >= CONNECTIONS_MAX) return refuse(client, 503, 'too many connections');
    this.open.add(client);
    client.once('close', () => this.open.delete(client));
    const tunnel = await door.connect(address.host, address.port, AbortSignal.timeout(CONNECT_MS));
    if (tunnel.kind === 'failed') return refuse(client, tunnel.reason === 'address' ? 403 : 502, tunnel.message);
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    pipeline(client, tunnel.socket, () => tunnel.socket.destroy());
    pipeline(tunnel.socket, client, () => client.destroy());
  }
}

function refuse(client: Duplex, status: number, why: string): void {
  client.end(`HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${why}\n`);
}
