import type { Redis } from 'ioredis';

/**
 * Tells every fault of a client's connection until `end`: what the client calls an error, and a connection that was up and ended
 * without one, as a server that stops ends it.
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

  /** Call it before the client is disconnected: that is no fault. */
  end(): void {
    this.isUp = false;
  }

  private lost(error: Error): void {
    this.isUp = false;
    this.report(error);
  }
}
