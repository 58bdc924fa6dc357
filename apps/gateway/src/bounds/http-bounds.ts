import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { countedAddress, MetricsAccess, TrustedProxies } from '@countersign/process';
import type { Registry } from 'prom-client';
import { BodyBudget } from './body-budget.js';
import { BodyPace } from './body-pace.js';
import { Connections } from './connections.js';
import type { HttpLimits } from './http-limits.js';
import { HttpMetrics } from './http-metrics.js';
import { LARGE_BODY_BYTES, LargeBodies } from './large-bodies.js';

/** The limits of the HTTP server of one gateway. */
export class HttpBounds {
  readonly proxies: TrustedProxies;
  readonly connections: Connections;
  readonly budget: BodyBudget;
  readonly pace: BodyPace;
  readonly large = new LargeBodies();
  readonly metrics: HttpMetrics;
  readonly metrics_access: MetricsAccess;

  constructor(
    readonly limits: HttpLimits,
    register: Registry,
  ) {
    this.proxies = new TrustedProxies(limits.trusted_proxies);
    this.connections = new Connections(limits, this.proxies);
    this.budget = new BodyBudget(limits);
    this.pace = new BodyPace(limits.body_bytes_per_s_min);
    this.metrics_access = new MetricsAccess(limits.metrics_token, this.proxies);
    this.metrics = new HttpMetrics(register, {
      connections: () => this.connections.size,
      body_bytes: () => this.budget.bytes,
    });
  }

  /** The address under which the requests of a connection are counted. */
  addressOf(socket: Socket, forwarded_for: string | undefined): string {
    const connection = this.connections.of(socket);
    if (connection && !connection.is_proxy) return connection.address;
    return countedAddress(this.proxies.clientOf(socket.remoteAddress, forwarded_for));
  }

  /** Calls `release` once the response is closed. The response of a pipelined request closes only with its connection. */
  untilAnswered(request: IncomingMessage, response: ServerResponse, release: () => void): void {
    const on_close = this.connections.of(request.socket)?.on_close;
    on_close?.add(release);
    response.once('close', () => {
      on_close?.delete(release);
      release();
    });
  }

  /** Handles a complete body: at once, or in turn if it is large. Skips it if the connection has closed. */
  inTurn(request: IncomingMessage, tenant_id: string, bytes: number, handle: () => void): void {
    if (bytes < LARGE_BODY_BYTES) {
      handle();
      return;
    }
    const on_close = this.connections.of(request.socket)?.on_close;
    const turn: { takeBack?: () => void } = {};
    const leave = (): void => turn.takeBack?.();
    on_close?.add(leave);
    turn.takeBack = this.large.take(tenant_id, () => {
      on_close?.delete(leave);
      handle();
    });
  }

  close(): void {
    this.pace.close();
  }
}
