import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { OdooMethods } from './odoo-methods.js';
import { type Named, OdooTables, Refused } from './odoo-tables.js';

/** A server with the shapes of Odoo's `/json/2`; it refuses whatever the documents do not show. */
export class OdooFixture {
  readonly key = 'odoo-api-key-of-the-fixture';
  readonly tables = new OdooTables();
  /** Bodies of all requests. */
  readonly requests: { path: string; body: Named }[] = [];
  private readonly methods = new OdooMethods(this.tables);
  private readonly server: Server = createServer((request, response) => void this.answer(request, response));

  async start(): Promise<URL> {
    await new Promise<void>((ready) => this.server.listen(0, '127.0.0.1', ready));
    return new URL(`http://127.0.0.1:${(this.server.address() as { port: number }).port}`);
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((closed) => this.server.close(() => closed()));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    try {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      send(200, this.result(request, Buffer.concat(parts).toString('utf8')));
    } catch (thrown) {
      const { status = 500, error = 'builtins.Exception', message } = thrown as Refused;
      send(status, { name: error, message, arguments: [message], context: {}, debug: 'Traceback: password=hunter2' });
    }
  }

  private result(request: IncomingMessage, text: string): unknown {
    const [, model = '', method = ''] = /^\/json\/2\/([\w.]+)\/(\w+)$/.exec(request.url ?? '') ?? [];
    if (request.method !== 'POST' || method === '') throw new Refused(404, 'werkzeug.exceptions.NotFound', 'no such route');
    if (request.headers.authorization !== `bearer ${this.key}`)
      throw new Refused(401, 'werkzeug.exceptions.Unauthorized', 'Invalid apikey');
    if (request.headers['x-odoo-database'] !== 'acme') throw new Refused(404, 'werkzeug.exceptions.NotFound', 'no such database');
    const { context, ...body } = JSON.parse(text) as Named;
    this.requests.push({ path: request.url as string, body });
    return this.methods.call(model, method, body, context as Named);
  }
}
