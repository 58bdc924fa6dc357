import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { MetricsAccess } from './metrics-access.js';

const BOUNDS = { headersTimeout: 15_000, requestTimeout: 30_000, connectionsCheckingInterval: 1_000 };
const CONNECTIONS_MAX = 1_024;
const BACKLOG = 4_096;
const METHODS = 'GET, HEAD';

interface HealthAnswer {
  status: number;
  type: string;
  body: string;
  headers?: Readonly<Record<string, string>>;
}

const json = (status: number, state: string, headers: Readonly<Record<string, string>> = {}): HealthAnswer => ({
  status,
  type: 'application/json',
  body: JSON.stringify({ status: state }),
  headers,
});

/** The body of `/readyz`: `unhealthy_packs` only if there are any. */
export function readinessBody(status: string, packs: readonly { pack: string }[]): Record<string, unknown> {
  return packs.length === 0 ? { status } : { status, unhealthy_packs: packs.map(({ pack }) => pack) };
}

/** `tampered`: the service works, but the log differs from what was signed. */
export type Readiness = 'ready' | 'tampered' | 'catching_up';

/** `/healthz`, `/readyz` and `/metrics` of a service without other HTTP routes. Loopback by default. */
export class HealthServer {
  private readonly server: Server;

  /** `metrics_token`: grants access to `/metrics` to peers that are not loopback; without one they are refused. */
  constructor(
    private readonly readiness: () => Readiness,
    private readonly metrics: Registry,
    metrics_token?: string | undefined,
    private readonly unhealthy: () => readonly { pack: string }[] = () => [],
  ) {
    const access = new MetricsAccess(metrics_token);
    this.server = createServer(BOUNDS, (request, response) => {
      this.answer(request, access).then(
        ({ status, type, body, headers }) => response.writeHead(status, { ...headers, 'content-type': type }).end(body),
        () => response.writeHead(500).end(),
      );
    });
    this.server.maxConnections = CONNECTIONS_MAX;
  }

  /** @returns the port. @throws if the port is in use. */
  listen(port: number, host = '127.0.0.1'): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ port, host, backlog: BACKLOG }, () => resolve((this.server.address() as AddressInfo).port));
    });
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private readyz(): HealthAnswer {
    const status = this.readiness();
    const answer = json(status === 'catching_up' ? 503 : 200, status);
    return { ...answer, body: JSON.stringify(readinessBody(status, this.unhealthy())) };
  }

  private async answer({ url, method, headers, socket }: IncomingMessage, access: MetricsAccess): Promise<HealthAnswer> {
    if (url !== '/healthz' && url !== '/readyz' && url !== '/metrics') return json(404, 'not_found');
    if (method !== 'GET' && method !== 'HEAD') return json(405, 'method_not_allowed', { allow: METHODS });
    if (url === '/healthz') return json(200, 'alive');
    if (url === '/readyz') return this.readyz();
    if (!access.admits(socket.remoteAddress, headers)) return json(401, 'metrics_token_required', { 'www-authenticate': 'Bearer' });
    return { status: 200, type: this.metrics.contentType, body: await this.metrics.metrics() };
  }
}
