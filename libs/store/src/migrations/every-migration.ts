import { toolExecutions } from './0001-tool-executions.js';
import { executors } from './0002-executors.js';
import { policySnapshots } from './0003-policy-snapshots.js';
import { views } from './0004-views.js';
import { limits } from './0005-limits.js';
import { auditCheckpoints } from './0006-audit-checkpoints.js';
import { sealedValues } from './0007-sealed-values.js';
import { configurationInstances } from './0020-configuration-instances.js';
import { projections } from './0021-projections.js';
import { executionStatistics } from './0022-execution-statistics.js';
import { stateSchemas } from './0023-state-schemas.js';
import { noticeClaims } from './0030-notice-claims.js';
import { subjectKeys } from './0030-subject-keys.js';
import { auditTexts } from './0031-audit-texts.js';
import { callbacksOwed } from './0032-callbacks-owed.js';
import { callbacksKept } from './0033-callbacks-kept.js';
import { configurationRules } from './0034-configuration-rules.js';
import { resources } from './0040-resources.js';
import { actedResources } from './0041-acted-resources.js';
import { unhealthyPacks } from './0042-unhealthy-packs.js';
import { scrubRuns } from './0043-scrub-runs.js';
import { webhookAttempts } from './0044-webhook-attempts.js';
import { keyUses } from './0045-key-uses.js';
import { callReferences } from './0046-call-references.js';
import { circuits } from './0047-circuits.js';
import { sagaSnapshots } from './0049-saga-snapshots.js';
import { producerRequests } from './0052-producer-requests.js';
import { auditTimestamps } from './0060-audit-timestamps.js';
import type { Migration } from './migration.js';

/** Every migration in the order of execution. Append new ones, whichever module owns the tables. */
export const migrations: readonly Migration[] = [
  toolExecutions,
  executors,
  policySnapshots,
  views,
  limits,
  auditCheckpoints,
  sealedValues,
  subjectKeys,
  configurationInstances,
  projections,
  executionStatistics,
  stateSchemas,
  noticeClaims,
  auditTexts,
  callbacksOwed,
  callbacksKept,
  configurationRules,
  resources,
  actedResources,
  unhealthyPacks,
  scrubRuns,
  webhookAttempts,
  keyUses,
  callReferences,
  circuits,
  sagaSnapshots,
  producerRequests,
  auditTimestamps,
];
