import type { IncomingMessage } from 'node:http';

const TICK_MS = 1_000;
/** A body must bring the minimum of bytes in each window of this length; one that ends within the first window may be slow. */
export const WINDOW_TICKS = 10;

interface Watched {
  request: IncomingMessage;
  too_slow: () => void;
  ticks: number;
  /** Bytes that the connection had read at the start of this window. */
  bytes_at: number;
}

/**
 * Ends bodies that arrive too slowly. Time is counted in ticks of a timer, not by a clock: while the process itself is stalled, no
 * body counts as too slow.
 */
export class BodyPace {
  private readonly receiving = new Set<Watched>();
  private readonly timer: NodeJS.Timeout;

  constructor(readonly bytes_per_s_min: number) {
    this.timer = setInterval(() => this.tick(), TICK_MS);
    this.timer.unref();
  }

  get size(): number {
    return this.receiving.size;
  }

  /** @returns a function that ends the watch. The watch also ends when the body is complete or its connection closes. */
  watch(request: IncomingMessage, too_slow: () => void): () => void {
    const watched = { request, too_slow, ticks: 0, bytes_at: request.socket.bytesRead };
    this.receiving.add(watched);
    return () => this.receiving.delete(watched);
  }

  /** Called once a second. */
  tick(): void {
    for (const watched of this.receiving) {
      const { request } = watched;
      if (request.complete || request.destroyed || request.socket.destroyed) this.receiving.delete(watched);
      else if (++watched.ticks >= WINDOW_TICKS) this.closeWindow(watched);
    }
  }

  close(): void {
    clearInterval(this.timer);
  }

  private closeWindow(watched: Watched): void {
    const { bytesRead } = watched.request.socket;
    const least = (this.bytes_per_s_min * TICK_MS * WINDOW_TICKS) / 1_000;
    if (bytesRead - watched.bytes_at < least) {
      this.receiving.delete(watched);
      watched.too_slow();
    } else Object.assign(watched, { ticks: 0, bytes_at: bytesRead });
  }
}
