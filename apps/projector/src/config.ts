import { type ExportTopic, exportTopics } from '@countersign/contracts';
import { blankFaults, type Environment, itemsOf, type ParsedConfig, parsePlatformConfig } from '@countersign/process';

export interface ProjectorConfig {
  /** Lanes whose calls are folded; each is a consumer group of its own. */
  lanes: string[];
  /** Of a lane's topics, where the signer of checkpoints has to make them. */
  partitions?: number;
  /** Topics for analysts that are to be written. */
  exports?: readonly ExportTopic[];
}

/** `trust-view` may be named: it is always written. */
const known: readonly string[] = [...exportTopics, 'trust-view'];

export function parseProjectorConfig(env: Environment): ParsedConfig<ProjectorConfig> {
  const named = itemsOf(env.COUNTERSIGN_EXPORTS ?? '');
  const unknown = named.filter((name) => !known.includes(name));
  const platform = parsePlatformConfig(env);
  const fault = `COUNTERSIGN_EXPORTS: ${unknown.join(', ').slice(0, 200)}: there is no such export; name some of ${known.join(', ')}`;
  const faults = [
    ...('faults' in platform ? platform.faults : []),
    ...blankFaults(env, ['COUNTERSIGN_EXPORTS']),
    ...(unknown.length > 0 ? [fault] : []),
  ];
  if ('faults' in platform || faults.length > 0) return { faults };
  const { lanes, partitions } = platform.config;
  return { config: { lanes, partitions, exports: exportTopics.filter((topic) => named.includes(topic)) } };
}
