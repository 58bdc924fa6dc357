import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

/** `/healthz`, `/readyz` and `/metrics` of a service that has no other HTTP face. Loopback unless told otherwise. */
export class HealthServer {
  private readonly server: Server;

  constructor(
    private readonly ready: () => boolean,
    private readonly metrics: Registry,
  ) {
    this.server = createServer((request, response) => {
      this.answer(request.url ?? '').then(
        ({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body),
        () => response.writeHead(500).end(),
      );
    });
  }

  /** @returns the port. @throws where the port is taken. */
  listen(port: number, host = '127.0.0.1'): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => resolve((this.server.address() as AddressInfo).port));
    });
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private async answer(url: string): Promise<{ status: number; type: string; body: string }> {
    if (url === '/healthz') return { status: 200, type: 'application/json', body: '{"status":"alive"}' };
    if (url === '/readyz')
      return this.ready()
        ? { status: 200, type: 'application/json', body: '{"status":"ready"}' }
        : { status: 503, type: 'application/json', body: '{"status":"catching_up"}' };
    if (url === '/metrics') return { status: 200, type: this.metrics.contentType, body: await this.metrics.metrics() };
    return { status: 404, type: 'application/json', body: '{"status":"not_found"}' };
  }
}
