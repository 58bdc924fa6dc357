import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { type CallToolResult, createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server';

type Arguments = Record<string, unknown>;
type Served = Tool & { run?: (inputs: Arguments) => CallToolResult | Promise<CallToolResult> };

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] });

/** Who sent the request that is answered. */
const caller = new AsyncLocalStorage<string>();

/** A real MCP server of ours over HTTP whose tools a test changes while it runs. It counts what it did. */
export class UpstreamServer {
  readonly called: { tool: string; inputs: Arguments }[] = [];
  /** The `authorization` of each call, in the order of `called`. */
  readonly authorizations: string[] = [];
  /** True: it answers every request with status 503. */
  is_down = false;
  private readonly tools = new Map<string, Served>();
  private http: HttpServer | undefined;

  static async start(): Promise<UpstreamServer> {
    const server = new UpstreamServer();
    const handler = toNodeHandler(createMcpHandler(() => server.open()));
    server.http = createServer((request, response) => {
      if (server.is_down) response.writeHead(503).end();
      else void caller.run(request.headers.authorization ?? '', () => handler(request, response));
    });
    await new Promise<void>((done) => server.http?.listen(0, '127.0.0.1', done));
    return server;
  }

  get host(): string {
    return `127.0.0.1:${(this.http?.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}/mcp`;
  }

  /** Adds a tool, or puts it in the place of the one of its name. */
  serve(name: string, more: Partial<Served> = {}): this {
    const inputSchema = { type: 'object' as const, properties: { path: { type: 'string' as const } }, required: ['path'] };
    this.tools.set(name, { name, description: `Does ${name} with the file at a path.`, inputSchema, ...more });
    return this;
  }

  drop(name: string): this {
    this.tools.delete(name);
    return this;
  }

  timesCalled(tool: string): number {
    return this.called.filter((each) => each.tool === tool).length;
  }

  async close(): Promise<void> {
    this.http?.closeAllConnections();
    await new Promise((done) => this.http?.close(done));
  }

  private open(): Server {
    const server = new Server({ name: 'our-upstream', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools: [...this.tools.values()].map(({ run: _run, ...tool }) => tool) }));
    server.setRequestHandler('tools/call', async ({ params: { name, arguments: inputs = {} } }) => {
      this.called.push({ tool: name, inputs });
      this.authorizations.push(caller.getStore() ?? '');
      return this.tools.get(name)?.run?.(inputs) ?? text(`${name} done`);
    });
    return server;
  }
}
