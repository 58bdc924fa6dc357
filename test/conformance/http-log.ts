import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The answer to a path below `/v1/audit/`, with its query; undefined: 404. */
export type Answers = (path: string) => Promise<Buffer | undefined>;

/** The audit routes of a log on a loopback port, as some function answers them. */
export class HttpLog {
  private constructor(private readonly server: Server) {}

  static async serve(answers: Answers): Promise<HttpLog> {
    const server = createServer((request, reply) => {
      answers((request.url ?? '').replace(/^\/v1\/audit\//, '')).then(
        (body) => reply.writeHead(body ? 200 : 404).end(body ?? '{"detail":"there is none"}'),
        (cause) => reply.writeHead(500).end(JSON.stringify({ detail: String(cause) })),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new HttpLog(server);
  }

  get base(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** The answers of a real log, each as a forgery leaves it. */
export function forged(base: string, token: string, forge: (path: string, body: Buffer) => Buffer): Answers {
  return async (path) => {
    const answer = await fetch(`${base}/v1/audit/${path}`, { headers: { authorization: `Bearer ${token}` } });
    const body = Buffer.from(await answer.arrayBuffer());
    return answer.ok ? forge(path, body) : undefined;
  };
}
