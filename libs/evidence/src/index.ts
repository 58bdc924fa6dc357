export {
  BUNDLE_FORMAT,
  type Bundle,
  type BundledCase,
  type BundledRecord,
  type BundleReport,
  COMPLETENESS,
  callSummary,
  plain,
} from '@countersign/verifier';
export { CodecDecoder } from './bundle/codec-decoder.js';
export { verifyBundle } from './bundle/verify-bundle.js';
export { type CoveredRange, callRecord, grownBy, isOfCalls, isRequest, type ReadCalls, readCalls } from './cases/call-records.js';
export { type CallRecord, type CallRequest, type CaseOfCall, type CasePart, CaseParts, type CasesOfCalls } from './cases/case-parts.js';
export { type CaseKey, CaseTable, caseKey } from './cases/case-table.js';
export { brokenLeaf, type CaseLeaf, CaseTopic, caseLeaf, type NewCaseLeaf } from './cases/case-topic.js';
export { type CasesStart, casesStart } from './cases/cases-start.js';
export { RecentMap } from './cases/recent-map.js';
export { RequestsOnLog } from './cases/requests-on-log.js';
export { CheckpointClaim } from './checkpoints/checkpoint-claim.js';
export { CheckpointFolder } from './checkpoints/checkpoint-folder.js';
export { type CheckpointRecord, type CheckpointStore, headOf, type NewestCheckpoint, withHeads } from './checkpoints/checkpoint-store.js';
export { CheckpointTable } from './checkpoints/checkpoint-table.js';
export { CHECKPOINT_TOPIC, CheckpointTopic } from './checkpoints/checkpoint-topic.js';
export { type Cosigned, CosignedNotes } from './checkpoints/cosigned-notes.js';
export { firstCheckpoint } from './checkpoints/first-checkpoint.js';
export { headsAt } from './checkpoints/heads-at.js';
export { type KeptText, TextFile, TextRow } from './checkpoints/kept-text.js';
export { LogFirstCheckpoints } from './checkpoints/log-first-checkpoints.js';
export { type Restoration, RestoredCheckpoints } from './checkpoints/restored-checkpoints.js';
export { CheckpointSigner, type SignerParts } from './checkpoints/signer.js';
export { readDecision, wireDecision } from './damage/decision-record.js';
export type { DamageFinder, DamageReport, FoundDamage } from './damage/found-damage.js';
export { type OpeningDecision, type PendingOpening, pendingOpenings } from './damage/pending-openings.js';
export { treesToOpen } from './damage/trees-to-open.js';
export { DroppedBucket, DroppedFolder, type DroppedLeaves } from './drops/dropped-leaves.js';
export { hasLeaves, keepLeaves, keepLeavesOf, leavesBelow } from './drops/keep-leaves.js';
export { missingRecords, shortened } from './drops/missing-records.js';
export { type DropSources, droppedBelow, type RecordedDrop, signedDrops } from './drops/recorded-drops.js';
export { type EntriesAnswer, EntriesReader } from './entries-reader.js';
export { ProofReader } from './proof-reader.js';
export { CheckedEventLog } from './signed/checked-event-log.js';
export type { OffsetRange } from './signed/offset-ranges.js';
export { ReadCheck } from './signed/read-check.js';
export { type JudgedLog, type Judgement, RecordJudge, type TornTile } from './signed/record-judge.js';
export { RecordScan, type Scanned } from './signed/record-scan.js';
export { SignedHeads } from './signed/signed-heads.js';
export { TreeRehash } from './signed/tree-rehash.js';
export { TimestampFolder } from './timestamps/timestamp-folder.js';
export type { TimestampedCheckpoint, TimestampStore } from './timestamps/timestamp-store.js';
export { TimestampTable } from './timestamps/timestamp-table.js';
export { type BrokenPlace, BrokenRecord, BrokenTrees } from './trees/broken-record.js';
export { BucketTiles } from './trees/bucket-tiles.js';
export { CoveredTree } from './trees/covered-tree.js';
export { TileFolder } from './trees/tile-folder.js';
export { type Tiles, treeName } from './trees/tiles.js';
