import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

/** The gateway's reaction to one request. */
export type Step = (request: IncomingMessage, response: ServerResponse) => void;

export const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Step =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
/** A raw body, for example of a proxy. */
export const page =
  (status: number, text: string, headers: Record<string, string> = {}): Step =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(text);
export const cut: Step = (request) => request.socket.destroy();
/** Never responds. */
export const silent: Step = () => undefined;

/** An HTTP server that follows a script: one step for each request, and `otherwise` after the last one. */
export class ScriptedGateway {
  readonly seen: { line: string; headers: IncomingMessage['headers']; body: string }[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(steps: Step[], otherwise: Step = cut): Promise<ScriptedGateway> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const gateway = new ScriptedGateway(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', async (request, response) => {
      const seen = { line: `${request.method} ${request.url}`, headers: request.headers, body: '' };
      gateway.seen.push(seen);
      seen.body = await readText(request);
      (steps.shift() ?? otherwise)(request, response);
    });
    return gateway;
  }

  get lines(): string[] {
    return this.seen.map(({ line }) => line);
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
