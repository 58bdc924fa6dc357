export { actorKeySet, actorToken } from './actor-key.js';
export type { AppDeps, RunningApp, WakeUpChannel } from './app-deps.js';
export { type CallSpan, CallTracer, decisionAttributes, type SpanAttributes } from './call-tracer.js';
export { CannotOpen } from './cannot-open.js';
export { checkedLog, recordScan } from './checked-log.js';
export { circuitOf, circuitRowOf } from './circuits/circuit-row.js';
export { CircuitView } from './circuits/circuit-view.js';
export { type Clock, systemClock } from './clock.js';
export { bundlesAhead } from './compiled-bundles.js';
export { type Configuration, foldConfiguration } from './configuration.js';
export { ConfigurationHeartbeat } from './configuration-heartbeat.js';
export { DAMAGE_TOPIC, KnownDamage } from './damage/known-damage.js';
export { anchorOf, type Evidence } from './evidence.js';
export { ExpiryWheel } from './expiry-wheel.js';
export { readinessBody } from './health-server.js';
export { CallHistoryReader, type HistoryAsk } from './history/call-history-reader.js';
export { inTurns } from './in-turns.js';
export { rateBudget } from './limits/rate-budget.js';
export { LogTime } from './log-time.js';
export { createLogger, type Logger, NestLogger } from './logger.js';
export { type CallToMap, isUnmappable, TenantMappings, type Unmappable } from './mapping/tenant-mappings.js';
export { liveSecrets } from './masking/live-secrets.js';
export { MetricsAccess, metricsToken } from './metrics-access.js';
export { countedAddress, isLoopback, TrustedProxies } from './peer-address.js';
export { type OpenedCall, Personal } from './personal/personal.js';
export { rulesAbout } from './personal/personal-rules.js';
export { isSealedBlob, openedBlob, sealedBlob } from './personal/sealed-blob.js';
export { openPlatform, type Platform } from './platform.js';
export { type PlatformConfig, parsePlatformConfig } from './platform-config.js';
export { decodeProgress, encodeProgress, type Progress, progressChannel } from './progress-hint.js';
export { decodeHint, encodeHint } from './result-hint.js';
export { runService } from './run-service.js';
export { SealedSecrets, type SecretPurpose } from './sealed-secrets.js';
export { securityRecord } from './security-record.js';
export {
  blankFaults,
  type Environment,
  flag,
  itemsOf,
  list,
  type ParsedConfig,
  readSettings,
  wholeNumber,
} from './settings.js';
export { type TenantKeys, tenantKeyFor } from './tenant-keys.js';
export { CONFIGURATION_TOPIC, coveredTopicSpecs, producerTopicSpecs, topicSpecs } from './topics.js';
export { type PastMoment, PastTrust } from './trust/past-trust.js';
export { agentOf, type StoredRating, toolsOf } from './trust/trust-rows.js';
export { TRUST_TOPIC, TrustScoreCache } from './trust/trust-score-cache.js';
export { TrustScores } from './trust/trust-scores.js';
export { folderFault, usableFolder } from './usable-folder.js';
