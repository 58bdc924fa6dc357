import { createHash } from 'node:crypto';
import path from 'node:path';
import {
  BucketTiles,
  CheckpointFolder,
  type CheckpointStore,
  CheckpointTable,
  CosignedNotes,
  TextFile,
  TextObject,
  TileFolder,
  type Tiles,
} from '@countersign/evidence';
import { type NoteSigner, type NoteVerifier, noteSigner } from '@countersign/proofs';
import { type KeyRing, S3Bucket, type S3BucketOptions, type Store } from '@countersign/store';

/** What proofs are made of: tiles, checkpoints, and the key that signs them. */
export interface Evidence {
  tiles: Tiles;
  checkpoints: CheckpointStore;
  signer: NoteSigner;
  cosigned: CosignedNotes;
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
  /** Tiles and cosignatures go into this bucket, under `audit/<prefix>`, instead of the folder. */
  audit_bucket?: (S3BucketOptions & { prefix: string }) | undefined;
  audit_origin: string | undefined;
  /** Who must have seen a checkpoint for it to count as cosigned. */
  audit_witnesses: readonly NoteVerifier[];
}

function keptIn({ audit_dir, audit_bucket }: EvidenceConfig): { tiles: Tiles; cosigned: TextFile | TextObject } {
  if (!audit_bucket) {
    return { tiles: new TileFolder(path.join(audit_dir, 'trees')), cosigned: new TextFile(path.join(audit_dir, 'cosigned.json')) };
  }
  const bucket = new S3Bucket(audit_bucket);
  const prefix = `audit/${audit_bucket.prefix}`;
  return { tiles: new BucketTiles(bucket, `${prefix}trees`), cosigned: new TextObject(bucket, `${prefix}cosigned.json`) };
}

/** Tiles and cosignatures in the folder or bucket; checkpoints beside them where the store is a fold of the log, else in the store. */
export function openEvidence(config: EvidenceConfig, store: Store, keys: KeyRing): Evidence {
  const checkpoints = store.durable ? new CheckpointTable(store) : new CheckpointFolder(path.join(config.audit_dir, 'checkpoints'));
  const signer = signerOf(keys, config.audit_origin);
  const { tiles, cosigned } = keptIn(config);
  return { tiles, checkpoints, signer, cosigned: new CosignedNotes(cosigned, checkpoints, signer.verifier, config.audit_witnesses) };
}
