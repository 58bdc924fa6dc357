import type { Redis } from 'ioredis';

/**
 * Reports every fault of a client's connection until `end`: errors of the client, and a connection that ended without an error, for
 * example because the server stopped.
 */
export class RedisFaults {
  private isUp = false;

  constructor(
    client: Redis,
    private readonly report: (error: Error) => void,
  ) {
    client.on('ready', () => {
      this.isUp = true;
    });
    client.on('error', (error: Error) => this.lost(error));
    client.on('close', () => {
      if (this.isUp) this.lost(new Error('the connection ended'));
    });
  }

  /** Call it before the client is disconnected, which is no fault. */
  end(): void {
    this.isUp = false;
  }

  private lost(error: Error): void {
    this.isUp = false;
    this.report(error);
  }
}
