import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Shares of requests, from 0 to 1. */
export interface Faults {
  /** The connection is cut before the request reaches the system. */
  lose_request: number;
  /** The connection is cut after the system has answered. */
  lose_answer: number;
  delay_ms_max: number;
}

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
function randomOf(seed: number): () => number {
  const state = { at: seed };
  return () => {
    state.at = (state.at + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state.at ^ (state.at >>> 15), 1 | state.at);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A proxy on loopback before a system with JSON-RPC, which loses and delays requests whose body matches `only`. */
export class ChaosProxy {
  lost_requests = 0;
  lost_answers = 0;
  private readonly random: () => number;
  private readonly server: Server = createServer((request, response) => void this.pass(request, response));

  constructor(
    private readonly upstream: URL,
    private readonly only: RegExp,
    private readonly faults: Faults,
    readonly seed: number,
  ) {
    this.random = randomOf(seed);
  }

  async start(): Promise<URL> {
    await new Promise<void>((ready) => this.server.listen(0, '127.0.0.1', ready));
    const url = new URL(this.upstream);
    url.port = String((this.server.address() as { port: number }).port);
    return url;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const faulty = this.only.test(body.toString('utf8'));
    if (faulty && this.random() < this.faults.lose_request) {
      this.lost_requests++;
      return void request.socket.destroy();
    }
    if (faulty) await sleep(this.random() * this.faults.delay_ms_max);
    const headers = { 'content-type': 'application/json', authorization: request.headers.authorization ?? '' };
    const answer = await fetch(this.upstream, { method: 'POST', headers, body }).catch(() => undefined);
    if (!answer) return void request.socket.destroy();
    const text = await answer.text();
    if (faulty && this.random() < this.faults.lose_answer) {
      this.lost_answers++;
      return void request.socket.destroy();
    }
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(text);
  }
}
