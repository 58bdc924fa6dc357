import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Counterpart, EvalPacks } from '@countersign/tool-kit/eval-pack';

/** Below the ports that Linux assigns to outgoing connections, so that a port that was just closed can be listened on again. */
const PORT_FIRST = 20_000;
const PORT_LAST = 32_768;
const TRIES = 50;

function listensOn(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const refused = () => resolve(false);
    server.once('error', refused);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', refused);
      resolve(true);
    });
  });
}

/** A small server that stores received data: the counterpart of the http tools. */
class KeepingServer implements Counterpart {
  readonly common = 'a web server is shared; the credentials of a tenant decide what it may see there';
  private server: Server | undefined;
  private sent: string[] = [];
  private port = 0;

  async prepare(): Promise<void> {
    this.sent = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => {
        if (request.url === '/silent') return;
        if (request.method !== 'GET' && request.method !== 'HEAD') this.sent.push(`${request.method} ${request.url} ${body}`);
        const large = request.url === '/large' ? 'x'.repeat(12 * 1024 * 1024) : '';
        response.writeHead(200, { 'content-type': 'application/json', date: 'Thu, 01 Jan 2026 00:00:00 GMT' });
        response.end(JSON.stringify({ path: request.url, sent: this.sent.length, large }));
      });
    });
    await this.listen(server);
    this.server = server;
  }

  /** Listens on its previous port, because a check keeps its inputs across worlds. */
  private async listen(server: Server): Promise<void> {
    const ports =
      this.port > 0 ? Array<number>(TRIES).fill(this.port) : Array.from({ length: TRIES }, () => randomInt(PORT_FIRST, PORT_LAST));
    for (const port of ports) {
      if (await listensOn(server, port)) {
        this.port = port;
        return;
      }
      await sleep(50);
    }
    throw new Error(`no port from ${PORT_FIRST} to ${PORT_LAST} is free`);
  }

  async clean(): Promise<void> {
    const server = this.server;
    this.server = undefined;
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  }

  settings(): Record<string, string> {
    return { COUNTERSIGN_HTTP_ALLOW: `127.0.0.1:${this.port}` };
  }

  async snapshot(): Promise<unknown> {
    return [...this.sent];
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }
}

const read = new KeepingServer();
const write = new KeepingServer();

/** The eval packs of the http tools. The server's port is known once it listens, so inputs are created on use. */
export const evals: EvalPacks = {
  http_request: {
    counterpart: read,
    golden: [
      {
        title: 'JSON as JSON',
        get input() {
          return { url: read.url('/a') };
        },
        output: { status: 200, ok: true, json: { path: '/a', sent: 0, large: '' } },
      },
    ],
    get slow() {
      return { url: read.url('/silent') };
    },
    get large() {
      return { url: read.url('/large'), max_bytes: 1024 * 1024 };
    },
    generated_runs: 20,
  },
  http_send: {
    counterpart: write,
    golden: [
      {
        title: 'sends a body',
        get input() {
          return { method: 'POST', url: write.url('/b'), body: { a: 1 } };
        },
        output: { status: 200, ok: true, json: { path: '/b', sent: 1, large: '' } },
      },
    ],
    get slow() {
      return { method: 'PUT', url: write.url('/silent') };
    },
    generated_runs: 20,
  },
};
