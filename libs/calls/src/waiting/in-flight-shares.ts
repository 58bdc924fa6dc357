import { uuidv7 } from '@countersign/contracts';
import type { AppDeps, WakeUpChannel } from '@countersign/process';
import type { WatchedCalls } from './watched-calls.js';

// Cannot collide with a lane: lane names have no dot.
const CHANNEL = '.in-flight';
const TELL_EVERY_MS = 250;
/** A gateway that is silent for this long counts as stopped, with no calls in flight. */
const KEPT_MS = 2_000;

/** The in-flight calls of one gateway, by tenant. */
export interface OwnCounts {
  readonly inFlightCounts: ReadonlyMap<string, number>;
}

interface Share {
  counts: ReadonlyMap<string, number>;
  heard_ms: number;
}

/**
 * The in-flight calls of other gateways, which publish them four times a second. So a tenant's cap holds for all gateways together, with a
 * delay of a quarter of a second. Unknown counts (the cache is unavailable) are zero.
 */
export class InFlightShares {
  private readonly others = new Map<string, Share>();
  private timer: NodeJS.Timeout | undefined;
  private published = false;

  constructor(
    private readonly own: OwnCounts,
    private readonly channel: WakeUpChannel,
    private readonly gateway_id: string,
    private readonly monotonic_ms: () => number,
  ) {}

  async start(): Promise<void> {
    await this.channel.subscribe(CHANNEL, (payload) => this.heard(payload));
    this.timer = setInterval(() => this.tell(), TELL_EVERY_MS).unref();
  }

  close(): void {
    clearInterval(this.timer);
  }

  othersOf(tenant_id: string): number {
    if (this.others.size === 0) return 0;
    const since = this.monotonic_ms() - KEPT_MS;
    let sum = 0;
    for (const { counts, heard_ms } of this.others.values()) if (heard_ms > since) sum += counts.get(tenant_id) ?? 0;
    return sum;
  }

  /** Publishes nothing while no calls are in flight, except one final zero. */
  tell(): void {
    const counts = [...this.own.inFlightCounts];
    if (counts.length === 0 && !this.published) return;
    this.published = counts.length > 0;
    this.channel.publish(CHANNEL, [Buffer.from(JSON.stringify({ gateway_id: this.gateway_id, counts }))]);
  }

  /** Any client may publish on a shared cache: messages in another format are dropped. */
  private heard(payload: Buffer): void {
    try {
      const { gateway_id, counts } = JSON.parse(payload.toString()) as { gateway_id: string; counts: [string, number][] };
      if (gateway_id === this.gateway_id || typeof gateway_id !== 'string') return;
      const sane = counts.filter(([tenant, count]) => typeof tenant === 'string' && Number.isSafeInteger(count) && count >= 0);
      this.others.set(gateway_id, { counts: new Map(sane), heard_ms: this.monotonic_ms() });
    } catch {
      // Not published by a gateway.
    }
  }
}

/** Starts to exchange counts with other gateways; undefined in embedded mode, which has only one. */
export async function shareInFlight(
  { store, wake_ups, clock }: Pick<AppDeps, 'store' | 'wake_ups' | 'clock'>,
  watchedCalls: WatchedCalls,
): Promise<InFlightShares | undefined> {
  if (!store.durable) return undefined;
  const shares = new InFlightShares(watchedCalls, wake_ups, uuidv7(clock.now_ms()), () => clock.monotonic_ms());
  watchedCalls.othersInFlight = (tenant_id) => shares.othersOf(tenant_id);
  await shares.start();
  return shares;
}
