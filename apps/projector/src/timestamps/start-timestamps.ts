import type { TimestampStore } from '@countersign/evidence';
import type { AppDeps, Clock } from '@countersign/process';
import { Gauge, type Registry } from 'prom-client';
import type { TimestampConfig } from '../config.js';
import { CheckpointTimestamper } from './checkpoint-timestamper.js';
import { HttpTimestampAuthority } from './http-timestamp-authority.js';

/** Requests timestamps while the process signs. */
export interface RunningTimestamps {
  close(): Promise<void>;
}

/** Starts timestamps if there are settings; `owner` is the signer. */
export function startTimestamps(
  { evidence, clock, logger, metrics }: Pick<AppDeps, 'evidence' | 'clock' | 'logger' | 'metrics'>,
  config: TimestampConfig | undefined,
  owner: { readonly isOwner: boolean } | undefined,
): RunningTimestamps | undefined {
  if (!evidence?.timestamps || !owner) return undefined;
  const { checkpoints, cosigned, signer, timestamps } = evidence;
  measureTimestamps(timestamps, clock, metrics);
  if (!config) return undefined;
  const stopping = new AbortController();
  const { url, pinned, proxies, every_ms } = config;
  const authority = new HttpTimestampAuthority(url, pinned, proxies, stopping.signal);
  const timestamper = new CheckpointTimestamper(
    authority,
    { checkpoints, cosigned, signer, timestamps },
    { owner, every_ms, clock, logger },
  );
  timestamper.start();
  return {
    close: async () => {
      stopping.abort();
      await timestamper.close();
    },
  };
}

/** `countersign_timestamp_age_seconds`. */
function measureTimestamps(timestamps: TimestampStore, clock: Clock, register: Registry): void {
  new Gauge({
    name: 'countersign_timestamp_age_seconds',
    help: 'Seconds since the newest timestamp of a checkpoint, by the time of its authority; NaN without one',
    registers: [register],
    async collect() {
      const newest = await timestamps.newest().catch(() => undefined);
      this.set(newest ? (clock.now_ms() - newest.time_ms) / 1000 : Number.NaN);
    },
  });
}
