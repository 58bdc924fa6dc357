import { sha256Hex } from '@countersign/contracts';
import { type ConfigurationState, evolveConfiguration, initialConfiguration, type PlacedEvent } from '@countersign/domain';
import type { Recorded } from '@countersign/event-log';
import { FoldedTopics } from '@countersign/event-log/transport/folded-topics';
import type { AppDeps } from './app-deps.js';
import { bundlesAhead, compileAhead, compileRuling } from './compiled-bundles.js';
import { CONFIGURATION_TOPIC } from './topics.js';

/** Tenants, keys, cases, policies and the tool catalog as folded by this process; kept current once `start` resolved. */
export type Configuration = FoldedTopics<ConfigurationState>;

export function foldConfiguration({ log, codec, schemas }: Pick<AppDeps, 'log' | 'codec' | 'schemas'>): Configuration {
  return new FoldedTopics<ConfigurationState>({
    log,
    codec,
    topics: [CONFIGURATION_TOPIC, 'tool-registered'],
    initial: initialConfiguration(),
    evolve: (state, event) => evolveConfiguration(state, event as PlacedEvent),
    before: bundleAhead,
    ready: compileRuling,
    ...(schemas ? { schemas } : {}),
  });
}

/** Compiles an activated bundle before it takes effect; a published one as soon as there is time. */
function bundleAhead(state: ConfigurationState, event: Recorded): Promise<void> | undefined {
  if (event.event_type === 'policy_bundle_published') {
    const { version, bundle_json } = event.event;
    void bundlesAhead.compile({ version, bundle_json, digest: sha256Hex(bundle_json) });
  }
  if (event.event_type !== 'policy_bundle_activated') return undefined;
  const { meta, version, shadow_version } = event.event;
  return compileAhead(state, meta.tenant_id, [version, shadow_version]);
}
