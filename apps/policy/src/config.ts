import { type Environment, type ParsedConfig, readSettings, wholeNumber } from '@countersign/process';
import { z } from 'zod';

/** The variables of the policy service. */
export const policyVariables = z.object({
  COUNTERSIGN_POLICY_ALLOW_FOR_MS: wholeNumber(1000)
    .default(15 * 60_000)
    .describe('how long an allowed call may still start'),
  COUNTERSIGN_POLICY_GRANT_FOR_MS: wholeNumber(1000).default(3_600_000).describe('how long an approved call may still start'),
  COUNTERSIGN_POLICY_BATCH_RECORDS: wholeNumber(1, 5000).default(500).describe('records that policy reads at once'),
  // Together with a batch it must stay below the number of records that a start rereads (REREAD_RECORDS in partitions/output-replay.ts):
  // an answer to an older record would be lost.
  COUNTERSIGN_POLICY_PENDING_RECORDS: wholeNumber(1, 40_000).default(4000).describe('rulings of one partition that may wait for the log'),
  COUNTERSIGN_POLICY_SNAPSHOT_EVERY_MS: wholeNumber(100).default(10_000).describe('how often policy saves its position'),
});

export interface PolicyConfig {
  lanes: readonly string[];
  /** How long after its decision an allowed call may start; its own deadline comes first. */
  allow_for_ms: number;
  /** The same for a granted call, counted from the granting vote. */
  grant_for_ms: number;
  batch_records_max: number;
  /** Maximum of decisions of one partition that wait for the log. */
  pending_records_max: number;
  snapshot_every_ms: number;
}

/** Settings of the policy service; `lanes` come from the platform settings. */
export function parsePolicyConfig(env: Environment, lanes: readonly string[]): ParsedConfig<PolicyConfig> {
  const parsed = readSettings(policyVariables, env);
  if ('faults' in parsed) return parsed;
  const value = parsed.config;
  return {
    config: {
      lanes,
      allow_for_ms: value.COUNTERSIGN_POLICY_ALLOW_FOR_MS,
      grant_for_ms: value.COUNTERSIGN_POLICY_GRANT_FOR_MS,
      batch_records_max: value.COUNTERSIGN_POLICY_BATCH_RECORDS,
      pending_records_max: value.COUNTERSIGN_POLICY_PENDING_RECORDS,
      snapshot_every_ms: value.COUNTERSIGN_POLICY_SNAPSHOT_EVERY_MS,
    },
  };
}
