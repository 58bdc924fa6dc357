import { DistributedPlatform } from './distributed-platform.js';
import { EmbeddedPlatform } from './embedded-platform.js';
import type { JourneyPlatform } from './journey-world.js';

/** A service that a journey can kill; on the embedded log all of them are one process. */
export type KillableService = 'executor' | 'orchestrator' | 'policy' | 'projector' | 'gateway';

/** A running platform with what kills one of its services (SIGKILL) and starts it again. */
export interface KillablePlatform {
  platform: JourneyPlatform;
  kill(service: KillableService): Promise<void>;
}

export async function killableEmbedded(env: Record<string, string>): Promise<KillablePlatform> {
  const platform = await EmbeddedPlatform.start(env);
  const kill = async () => {
    await platform.process.stop('SIGKILL');
    await platform.up();
  };
  return { platform, kill };
}

export async function killableDistributed(env: Record<string, string>): Promise<KillablePlatform> {
  const platform = await DistributedPlatform.start(env);
  await platform.ready('orchestrator');
  const kill = async (service: KillableService) => {
    await platform.member(service).stop('SIGKILL');
    platform.restart(service);
    await platform.ready(service);
  };
  return { platform, kill };
}
