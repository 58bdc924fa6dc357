import { Counter, Gauge, type Registry } from 'prom-client';
import type { Scope } from './body-budget.js';
import type { RefusedConnection } from './connections.js';

export type HttpRefusal = RefusedConnection | `body_bytes_${Scope}` | 'body_too_slow' | 'headers_too_slow' | 'unauthenticated_body';

/** Metrics of refused requests and of open connections. */
export class HttpMetrics {
  private readonly counter: Counter<'reason'>;

  constructor(register: Registry, now: { connections: () => number; body_bytes: () => number }) {
    this.counter = new Counter({
      name: 'countersign_http_refused_total',
      help: 'Connections and requests refused by a limit of the HTTP server, by reason',
      labelNames: ['reason'],
      registers: [register],
    });
    gauge(register, 'countersign_http_connections', 'Open client connections', now.connections);
    gauge(register, 'countersign_http_body_bytes', 'Bytes of request bodies in flight', now.body_bytes);
  }

  refused(reason: HttpRefusal): void {
    this.counter.inc({ reason });
  }
}

function gauge(register: Registry, name: string, help: string, value: () => number): void {
  new Gauge({
    name,
    help,
    registers: [register],
    collect() {
      this.set(value());
    },
  });
}
