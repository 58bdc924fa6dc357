import { createHash } from 'node:crypto';
import path from 'node:path';
import type { EventCodec } from '@countersign/contracts';
import type { EventLog, SchemaSource } from '@countersign/event-log';
import {
  BucketTiles,
  CaseTopic,
  CheckpointClaim,
  CheckpointFolder,
  type CheckpointStore,
  CheckpointTable,
  CheckpointTopic,
  CosignedNotes,
  DroppedBucket,
  DroppedFolder,
  type DroppedLeaves,
  type KeptText,
  LogFirstCheckpoints,
  type NewestCheckpoint,
  RestoredCheckpoints,
  TextFile,
  TextRow,
  TileFolder,
  type Tiles,
  TimestampFolder,
  type TimestampStore,
  TimestampTable,
} from '@countersign/evidence';
import { type NoteSigner, noteSigner, type Witness } from '@countersign/proofs';
import { type KeyRing, S3Bucket, type S3BucketOptions, type Store } from '@countersign/store';

/** The inputs of proofs: tiles, checkpoints, and their signing key. */
export interface Evidence {
  tiles: Tiles;
  checkpoints: CheckpointStore;
  signer: NoteSigner;
  cosigned: CosignedNotes;
  /** The checkpoint up to which the signer has checked its stored data. */
  checked: KeptText;
  /** Progress of the scrubber; absent only in tests that do not need it. */
  scrubbed?: KeptText;
  /** Leaf hashes of dropped records; absent only in tests that do not need it. */
  dropped?: DroppedLeaves;
  /** Reconciles checkpoints with their topic before the signer continues; absent only in tests that do not need it. */
  restored?: RestoredCheckpoints;
  /** Leaves of the tree of cases; absent only in tests that do not need them. */
  cases?: CaseTopic;
  /** Timestamped checkpoints; absent only in tests that do not need them. */
  timestamps?: TimestampStore;
}

/** The checkpoint up to which records may be dropped: the newest; with witnesses, the newest that all of them cosigned. */
export async function anchorOf({
  checkpoints,
  cosigned,
}: Pick<Evidence, 'checkpoints' | 'cosigned'>): Promise<NewestCheckpoint | undefined> {
  const newest = await cosigned.verified();
  if (newest) return checkpoints.at(newest.number);
  return cosigned.asks ? undefined : checkpoints.newest();
}

/** The log's name in its checkpoints: set by the operator, or derived from the signing key. */
function signerOf(keys: KeyRing, origin: string | undefined): NoteSigner {
  const seed = keys.seed('audit-signer');
  const own = createHash('sha256').update(noteSigner('countersign', seed).verifier.vkey).digest('hex').slice(0, 16);
  return noteSigner(origin ?? `countersign.local/${own}`, seed);
}

/** Storage of evidence, and its witnesses. */
export interface EvidenceConfig {
  audit_dir: string;
  /** Tiles go into this bucket, under `audit/<prefix>`, instead of the folder. */
  audit_bucket?: (S3BucketOptions & { prefix: string }) | undefined;
  audit_origin: string | undefined;
  /** The witnesses whose cosignatures a checkpoint needs to count as cosigned. */
  audit_witnesses: readonly Witness[];
}

/** Tiles, and the leaf hashes of dropped records beside them. */
function treesIn({ audit_dir, audit_bucket }: EvidenceConfig): { tiles: Tiles; dropped: DroppedLeaves } {
  if (!audit_bucket)
    return { tiles: new TileFolder(path.join(audit_dir, 'trees')), dropped: new DroppedFolder(path.join(audit_dir, 'dropped')) };
  const bucket = new S3Bucket(audit_bucket);
  const prefix = `audit/${audit_bucket.prefix}`;
  return { tiles: new BucketTiles(bucket, `${prefix}trees`), dropped: new DroppedBucket(bucket, `${prefix}dropped`) };
}

/** Dependencies of the evidence. */
export interface EvidenceDeps {
  log: EventLog;
  codec: EventCodec;
  /** The registry used by the codec; absent embedded. */
  schemas?: SchemaSource;
  store: Store;
}

/**
 * Tiles are in the folder or bucket. Checkpoints are on the log, and additionally beside the tiles if the store is a fold of the log,
 * else in the store, where a claim lets one signer write each number.
 */
export function openEvidence(config: EvidenceConfig, { log, codec, schemas, store }: EvidenceDeps, keys: KeyRing): Evidence {
  const signer = signerOf(keys, config.audit_origin);
  const kept = (name: string) => (store.durable ? new TextRow(store, name) : new TextFile(path.join(config.audit_dir, `${name}.json`)));
  const { tiles, dropped } = treesIn(config);
  const copies = store.durable ? new CheckpointTable(store) : new CheckpointFolder(path.join(config.audit_dir, 'checkpoints'));
  const claim = store.durable ? new CheckpointClaim(kept('claimed')) : undefined;
  const checkpoints = new LogFirstCheckpoints(copies, new CheckpointTopic(log, codec, schemas), claim);
  const cosigned = new CosignedNotes(kept('cosigned'), checkpoints, signer.verifier, config.audit_witnesses);
  const restored = new RestoredCheckpoints(checkpoints, tiles, signer.verifier);
  const cases = new CaseTopic(log, codec, schemas);
  const timestamps = store.durable ? new TimestampTable(store) : new TimestampFolder(path.join(config.audit_dir, 'timestamps'));
  const [checked, scrubbed] = [kept('checked'), kept('scrubbed')];
  return { tiles, dropped, checkpoints, restored, signer, cosigned, cases, timestamps, checked, scrubbed };
}
