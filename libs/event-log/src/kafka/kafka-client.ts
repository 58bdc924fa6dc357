import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { InfrastructureFault, isInfrastructureFault } from '@countersign/contracts';
import { type ISocketFactory, Kafka, logLevel, type RetryOptions } from 'kafkajs';
import { requestTimeoutMs } from './fetch-limits.js';
import { FramedSocket } from './framed-socket.js';
import type { KafkaSettings } from './kafka-options.js';
import { restWhereNothingWaits } from './request-queue.js';

restWhereNothingWaits();

/** Retries inside one kafkajs call. Retries of this package come on top, where giving up has a meaning. */
export const shortRetry: RetryOptions = { initialRetryTime: 100, maxRetryTime: 1_000, multiplier: 2, factor: 0.2, retries: 3 };

/**
 * How long a client waits for a response. `silence`: a connection without a byte for `request_timeout_ms` is cut, and an arriving
 * response gets the time that its size needs. `request`: only kafkajs's timeout applies, for requests that a broker delays on purpose
 * (JoinGroup).
 */
export type Patience = 'silence' | 'request';

/**
 * A kafkajs client whose sockets emit complete frames and can be cut. After a request timeout kafkajs keeps the silent connection and
 * sends the retry on it; cutting it makes kafkajs reconnect.
 */
export class KafkaClient {
  readonly kafka: Kafka;
  private readonly sockets = new Set<FramedSocket>();
  private retired = false;
  private readonly staleness_ms: number | undefined;

  constructor(
    private readonly settings: KafkaSettings,
    private readonly name: string,
    patience: Patience = 'silence',
  ) {
    // A long poll may be silent for its requested wait.
    this.staleness_ms = patience === 'silence' ? Math.max(settings.request_timeout_ms, 2 * settings.fetch_wait_ms) : undefined;
    this.kafka = new Kafka({
      brokers: [...settings.brokers],
      clientId: `${settings.client_id}.${name}`,
      ...(settings.sasl ? { sasl: settings.sasl } : {}),
      ...(settings.ssl === undefined ? {} : { ssl: settings.ssl }),
      connectionTimeout: 3_000,
      authenticationTimeout: 5_000,
      requestTimeout: patience === 'silence' ? requestTimeoutMs(settings.request_timeout_ms) : settings.request_timeout_ms,
      retry: shortRetry,
      socketFactory: this.socketFactory,
      logLevel: logLevel.ERROR,
      logCreator: () => (entry) =>
        settings.warn(entry.log.message, { event: 'kafka_client_message', part: name, namespace: entry.namespace, error: entry.log.error }),
    });
  }

  cut(): void {
    for (const socket of [...this.sockets]) socket.cut('closed a connection after a request timed out');
  }

  /** Cuts all connections and opens no more: requests of abandoned parts of kafkajs then fail at once. */
  retire(): void {
    this.retired = true;
    this.cut();
  }

  private readonly socketFactory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    if (this.retired) throw new Error(`the client ${this.name} was replaced`);
    const socket: Socket = ssl ? connectTls({ host, port, ...(isIP(host) ? {} : { servername: host }), ...ssl }) : connect({ host, port });
    const framed = new FramedSocket(socket, {
      onConnect,
      // A broker closes idle connections: nothing is lost with them.
      onLost: (reason, waiting) => {
        if (waiting)
          this.settings.warn('connection lost', { event: 'kafka_connection_lost', part: this.name, broker: `${host}:${port}`, reason });
      },
      ...(this.staleness_ms === undefined ? {} : { staleness_ms: this.staleness_ms }),
    });
    socket.once(ssl ? 'secureConnect' : 'connect', () => framed.established());
    this.sockets.add(framed);
    socket.once('close', () => this.sockets.delete(framed));
    // kafkajs uses only on, write, end and unref; its type requires a complete socket.
    return framed as unknown as Socket;
  };
}

/** Wraps the error as an infrastructure fault. */
export function faultOf(what: string, cause: unknown): InfrastructureFault {
  if (isInfrastructureFault(cause)) return cause as InfrastructureFault;
  return new InfrastructureFault(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
