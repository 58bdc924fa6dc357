import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Shares of requests, from 0 to 1. */
export interface Faults {
  /** The connection is cut before the request reaches the system. */
  lose_request: number;
  /** The connection is cut after the system has answered. */
  lose_answer: number;
  delay_ms_max: number;
  /** So late that the caller has given up: half of them before the request reaches the system, half after it has answered. */
  stall: number;
  stall_ms: number;
}

/** The request that has this fault in every run. */
const CERTAIN = { lose_request: 5, lose_answer: 10, stall: 15 } as const;

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
  stalled = 0;
  private seen = 0;
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
    const number = faulty ? ++this.seen : 0;
    if (this.happens(number, 'lose_request')) {
      this.lost_requests++;
      return void request.socket.destroy();
    }
    if (faulty) await sleep(this.random() * this.faults.delay_ms_max);
    const stalls = this.happens(number, 'stall');
    const before = this.random() < 0.5;
    if (stalls) this.stalled++;
    // A request that arrives late is carried out: nothing tells the system that its caller is gone.
    if (stalls && before) await sleep(this.faults.stall_ms);
    const headers = { 'content-type': 'application/json', authorization: request.headers.authorization ?? '' };
    const answer = await fetch(this.upstream, { method: 'POST', headers, body }).catch(() => undefined);
    if (!answer) return void request.socket.destroy();
    const text = await answer.text();
    if (stalls && !before) await sleep(this.faults.stall_ms);
    if (this.happens(number, 'lose_answer')) {
      this.lost_answers++;
      return void request.socket.destroy();
    }
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(text);
  }

  /** Each kind of fault happens by chance, and to one request of every run. @param number of a request that may fail, from 1; 0: no fault */
  private happens(number: number, fault: keyof typeof CERTAIN): boolean {
    return number > 0 && (number === CERTAIN[fault] || this.random() < this.faults[fault]);
  }
}
