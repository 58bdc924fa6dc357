import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { InfrastructureFault, isInfrastructureFault } from '@countersign/contracts';
import { type ISocketFactory, Kafka, logLevel, type RetryOptions } from 'kafkajs';
import type { KafkaSettings } from './kafka-options.js';
import { restWhereNothingWaits } from './request-queue.js';

restWhereNothingWaits();

const KEEP_ALIVE_MS = 30_000;

/** Retries inside one kafkajs call. Ours come on top, where giving up has a meaning. */
export const shortRetry: RetryOptions = { initialRetryTime: 100, maxRetryTime: 1_000, multiplier: 2, factor: 0.2, retries: 3 };

/**
 * A kafkajs client whose sockets can be cut.
 *
 * After a request timeout kafkajs keeps the silent connection and sends the retry down the same hole; cutting makes it
 * reconnect. `destroy` without an error would not do: kafkajs does not listen for 'close'.
 */
export class KafkaClient {
  readonly kafka: Kafka;
  private readonly sockets = new Set<Socket>();

  constructor(settings: KafkaSettings, name: string) {
    this.kafka = new Kafka({
      brokers: [...settings.brokers],
      clientId: `${settings.client_id}.${name}`,
      ...(settings.sasl ? { sasl: settings.sasl } : {}),
      ...(settings.ssl === undefined ? {} : { ssl: settings.ssl }),
      connectionTimeout: 3_000,
      authenticationTimeout: 5_000,
      requestTimeout: settings.request_timeout_ms,
      retry: shortRetry,
      socketFactory: this.socketFactory,
      logLevel: logLevel.ERROR,
      logCreator: () => (entry) => settings.warn(entry.log.message, { part: name, namespace: entry.namespace, error: entry.log.error }),
    });
  }

  cut(): void {
    for (const socket of this.sockets) socket.destroy(new Error('cut after a request without a reply'));
  }

  private readonly socketFactory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    const socket: Socket = ssl
      ? connectTls({ host, port, ...(isIP(host) ? {} : { servername: host }), ...ssl }, onConnect)
      : connect({ host, port }, onConnect);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    return socket;
  };
}

/** The same error as a fault of the surroundings. */
export function faultOf(what: string, cause: unknown): InfrastructureFault {
  if (isInfrastructureFault(cause)) return cause as InfrastructureFault;
  return new InfrastructureFault(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
