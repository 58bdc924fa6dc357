import { type ConfigurationState, evolveConfiguration, initialConfiguration, type PlacedEvent } from '@countersign/domain';
import { FoldedTopics } from '@countersign/event-log';
import type { AppDeps } from './app-deps.js';

export const CONFIGURATION_TOPIC = 'configuration-changed';

/** Tenants, keys, cases, policies and the tool catalog as this process has folded them; live once `start` resolved. */
export type Configuration = FoldedTopics<ConfigurationState>;

export function foldConfiguration({ log, codec, schemas }: Pick<AppDeps, 'log' | 'codec' | 'schemas'>): Configuration {
  return new FoldedTopics<ConfigurationState>({
    log,
    codec,
    topics: [CONFIGURATION_TOPIC, 'tool-registered'],
    initial: initialConfiguration(),
    evolve: (state, event) => evolveConfiguration(state, event as PlacedEvent),
    ...(schemas ? { schemas } : {}),
  });
}
