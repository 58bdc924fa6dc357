import { type ExportTopic, exportTopics } from '@countersign/contracts';
import { type Environment, list, type ParsedConfig, parsePlatformConfig, readSettings } from '@countersign/process';
import { z } from 'zod';

export interface ProjectorConfig {
  /** Lanes to fold; each is a consumer group. */
  lanes: string[];
  /** Number of partitions of a lane's topics, for the signer of checkpoints. */
  partitions?: number;
  /** Analytics topics to export. */
  exports?: readonly ExportTopic[];
}

/** `trust-view` may be listed although it is always written. */
const known: readonly string[] = [...exportTopics, 'trust-view'];

/** The variables of the projector. */
export const projectorVariables = z.object({
  COUNTERSIGN_EXPORTS: list('')
    .superRefine((named, context) => {
      const unknown = named.filter((name) => !known.includes(name)).join(', ');
      if (unknown === '') return;
      const message = `${unknown.slice(0, 200)}: unknown export; known exports: ${known.join(', ')}`;
      context.addIssue({ code: 'custom', message });
    })
    .describe('topics that the projector publishes for analysts: `audit-view`, `case-history-view` ([auditors](../how-to/auditors.md))'),
});

export function parseProjectorConfig(env: Environment): ParsedConfig<ProjectorConfig> {
  const own = readSettings(projectorVariables, env);
  const platform = parsePlatformConfig(env);
  if ('faults' in own || 'faults' in platform)
    return { faults: [platform, own].flatMap((parsed) => ('faults' in parsed ? parsed.faults : [])) };
  const { lanes, partitions } = platform.config;
  const named = own.config.COUNTERSIGN_EXPORTS;
  return { config: { lanes, partitions, exports: exportTopics.filter((topic) => named.includes(topic)) } };
}
