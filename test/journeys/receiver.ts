import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Received {
  headers: Record<string, string>;
  body: string;
}

/** A receiver of webhooks that records what it receives, and refuses the first few requests, or all for a while, with a given status. */
export class Receiver {
  private readonly all: Received[] = [];

  private constructor(
    private readonly server: Server,
    private refusals: number,
  ) {}

  static async start(refusals = 0, refusal = 500): Promise<Receiver> {
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (text: string) => {
        body += text;
      });
      request.on('end', () => {
        receiver.all.push({ headers: request.headers as Record<string, string>, body });
        response.writeHead(receiver.refusals-- > 0 ? refusal : 204).end();
      });
    });
    const receiver = new Receiver(server, refusals);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return receiver;
  }

  /** Refuses no further requests. */
  accept(): void {
    this.refusals = 0;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** Everything received, once there are enough. */
  async received(count: number, within_ms = 15_000): Promise<Received[]> {
    for (const until = Date.now() + within_ms; this.all.length < count; await sleep(20))
      if (Date.now() > until) throw new Error(`${this.all.length} of ${count} messages within ${within_ms} ms`);
    return this.all;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}
