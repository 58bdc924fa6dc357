import { type Environment, type ParsedConfig, readSettings, wholeNumber } from '@countersign/process';
import { z } from 'zod';

/** The variables of the orchestrator. */
export const orchestratorVariables = z.object({
  COUNTERSIGN_ORCHESTRATOR_BATCH_RECORDS: wholeNumber(1, 5000)
    .default(200)
    .describe('requests about sagas that the orchestrator reads at once'),
  COUNTERSIGN_ORCHESTRATOR_SNAPSHOT_EVERY_MS: wholeNumber(100).default(10_000).describe('how often the orchestrator saves its open sagas'),
});

export interface OrchestratorConfig {
  lanes: readonly string[];
  batch_records_max: number;
  snapshot_every_ms: number;
}

/** Settings of the orchestrator; `lanes` come from the platform settings. */
export function parseOrchestratorConfig(env: Environment, lanes: readonly string[]): ParsedConfig<OrchestratorConfig> {
  const parsed = readSettings(orchestratorVariables, env);
  if ('faults' in parsed) return parsed;
  const { COUNTERSIGN_ORCHESTRATOR_BATCH_RECORDS, COUNTERSIGN_ORCHESTRATOR_SNAPSHOT_EVERY_MS } = parsed.config;
  return {
    config: {
      lanes,
      batch_records_max: COUNTERSIGN_ORCHESTRATOR_BATCH_RECORDS,
      snapshot_every_ms: COUNTERSIGN_ORCHESTRATOR_SNAPSHOT_EVERY_MS,
    },
  };
}
