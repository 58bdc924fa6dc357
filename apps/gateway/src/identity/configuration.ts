import type { EventCodec } from '@countersign/contracts';
import { type ConfigurationState, evolveConfiguration, initialConfiguration, type PlacedEvent } from '@countersign/domain';
import { type EventLog, FoldedTopics, type SchemaSource } from '@countersign/event-log';

export const CONFIGURATION_TOPIC = 'configuration-changed';

/** Tenants, keys, cases, policies and the tool catalog as this gateway has folded them; live once `start` resolved. */
export type Configuration = FoldedTopics<ConfigurationState>;

export function foldConfiguration(log: EventLog, codec: EventCodec, schemas: SchemaSource | undefined): Configuration {
  return new FoldedTopics<ConfigurationState>({
    log,
    codec,
    topics: [CONFIGURATION_TOPIC, 'tool-registered'],
    initial: initialConfiguration(),
    evolve: (state, event) => evolveConfiguration(state, event as PlacedEvent),
    ...(schemas ? { schemas } : {}),
  });
}
