export { GRANT_MAX_MS, plainRequirement } from './approval-requirement.js';
export { canonicalText } from './canonical-text.js';
export { EventCodec, UndecodableRecord } from './codec.js';
export { armCrashPoint, type CrashPoint, crashPoint, crashPoints } from './crash-point.js';
export { DEFAULT_TENANT } from './default-tenant.js';
export { callError, errorCodes, InfrastructureFault, isInfrastructureFault } from './errors.js';
export * from './generated/events.js';
export { type EventSchema, eventSchemas } from './generated/schemas.js';
export { callId, parseCallId, partitionOf, sagaKey, sagaPartition, timeOfId, uuidOfParts, uuidText, uuidv7 } from './ids.js';
export { INPUT_POINTER, memberPointer, valueAt } from './json-pointer.js';
export {
  attemptKey,
  derivedKey,
  discriminatingInputs,
  headerKey,
  isKeyOfRequest,
  type KeyParts,
  type KeyScope,
  keyOfText,
  normalise,
  resourceId,
  tenantKey,
} from './keys.js';
export { leafHashText } from './leaf-hash.js';
export { firstMeta, metaAfter, nextHlc } from './meta.js';
export { NO_CONTEXT } from './no-context.js';
export { NO_RECORD_OFFSET, noRecord } from './no-record.js';
export { extrasOf } from './outcome-extras.js';
export { type AvroSchema, PackedType, packedSchemas, UnknownPackedSchema } from './packed-type.js';
export { type PeekedMeta, peekMeta } from './peek-meta.js';
export {
  avroFingerprint,
  ProducerCodec,
  type ProducerRecord,
  type ProducerRecordType,
  producerSchemas,
} from './producers/producer-schemas.js';
export { prefixedRecordLeaf } from './record-leaf.js';
export { overlaps, parseResourceName, type ResourceName, type ResourceUse, resourcesOf } from './resources.js';
export { intersectRights, lacking, type Rights, union } from './rights.js';
export { regexHazard } from './schema/regex-hazard.js';
export { schemaFaults } from './schema/schema-faults.js';
export { isNode, type Subschema, subschemas } from './schema/subschemas.js';
export {
  ERASED,
  SEALED,
  SEALED_KEYS_MAX,
  type SealedParts,
  sealedBytes,
  sealedHead,
  sealedKeyIds,
  sealedParts,
  sealedText,
} from './sealed-text.js';
export { sha256Hex } from './sha256-hex.js';
export {
  parseSummary,
  SUMMARY_CHARS_MAX,
  SUMMARY_PLACEHOLDERS_MAX,
  type SummaryMeasure,
  type SummaryPart,
  summaryPointers,
} from './summary-template.js';
export {
  approvalMode,
  contractDigest,
  contractPin,
  defaultTier,
  type EffectRule,
  effectRules,
  isReadOnly,
  type JsonSchema,
  type ResourceEffect,
  type ResourceTemplate,
  strictness,
  type ToolContract,
  type VersionState,
} from './tool-contract.js';
export {
  type AuditStatus,
  type SanitySeverity,
  type ToolCache,
  type ToolPattern,
  type ToolRecord,
  type ToolSla,
  toolPatterns,
  type UpstreamAlias,
  type UpstreamCall,
  type UpstreamInput,
  type UpstreamReconcile,
  type UpstreamTie,
} from './tool-record.js';
export {
  ANSWERS_TO,
  CASES_TOPIC,
  type CallTopic,
  callStateTopics,
  callTopics,
  carriedTopics,
  type EvidenceTopic,
  type ExportTopic,
  evidenceTopics,
  exportTopics,
  type GlobalTopic,
  globalTopics,
  laneTopic,
  PRODUCER_ID,
  type ProducerTopics,
  parseTopic,
  producerTopics,
  REQUESTS_FROM,
  SHARED_LANE,
  topicOf,
} from './topics.js';
