import { createHash } from 'node:crypto';
import path from 'node:path';
import type { EventCodec } from '@countersign/contracts';
import type { EventLog, SchemaSource } from '@countersign/event-log';
import {
  BucketTiles,
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
} from '@countersign/evidence';
import { type NoteSigner, noteSigner, type Witness } from '@countersign/proofs';
import { type KeyRing, S3Bucket, type S3BucketOptions, type Store } from '@countersign/store';

/** What proofs are made of: tiles, checkpoints, and the key that signs them. */
export interface Evidence {
  tiles: Tiles;
  checkpoints: CheckpointStore;
  signer: NoteSigner;
  cosigned: CosignedNotes;
  /** Up to which checkpoint the signer has checked what it keeps. */
  checked: KeptText;
  /** How far the scrubber is; absent only where a test does without. */
  scrubbed?: KeptText;
  /** Leaf hashes of records that were dropped; absent only where a test does without. */
  dropped?: DroppedLeaves;
  /** Brings checkpoints and their topic together, before the signer goes on; absent only where a test does without. */
  restored?: RestoredCheckpoints;
}

/** What records may be dropped behind, and a drop be judged by: the newest checkpoint; with witnesses, the newest that all of them cosigned. */
export async function anchorOf({
  checkpoints,
  cosigned,
}: Pick<Evidence, 'checkpoints' | 'cosigned'>): Promise<NewestCheckpoint | undefined> {
  const newest = await cosigned.verified();
  if (newest) return checkpoints.at(newest.number);
  return cosigned.asks ? undefined : checkpoints.newest();
}

/** The log's name in its checkpoints: the operator's, or one of its own that follows from the signing key. */
function signerOf(keys: KeyRing, origin: string | undefined): NoteSigner {
  const seed = keys.seed('audit-signer');
  const own = createHash('sha256').update(noteSigner('countersign', seed).verifier.vkey).digest('hex').slice(0, 16);
  return noteSigner(origin ?? `countersign.local/${own}`, seed);
}

/** Where evidence is kept and who vouches for it. */
export interface EvidenceConfig {
  audit_dir: string;
  /** Tiles go into this bucket, under `audit/<prefix>`, instead of the folder. */
  audit_bucket?: (S3BucketOptions & { prefix: string }) | undefined;
  audit_origin: string | undefined;
  /** Who must have seen a checkpoint for it to count as cosigned. */
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

/** What the evidence is kept with. */
export interface EvidenceDeps {
  log: EventLog;
  codec: EventCodec;
  /** The registry behind the codec; absent embedded. */
  schemas?: SchemaSource;
  store: Store;
}

/**
 * Tiles in the folder or bucket; checkpoints on the log, and beside the tiles where the store is a fold of the log, else in the
 * store, where a claim lets one signer write each number.
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
  return { tiles, dropped, checkpoints, restored, signer, cosigned, checked: kept('checked'), scrubbed: kept('scrubbed') };
}
