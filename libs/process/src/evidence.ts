import { createHash } from 'node:crypto';
import path from 'node:path';
import {
  BucketTiles,
  CheckpointFolder,
  type CheckpointStore,
  CheckpointTable,
  CosignedNotes,
  type KeptText,
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

function tilesIn({ audit_dir, audit_bucket }: EvidenceConfig): Tiles {
  if (!audit_bucket) return new TileFolder(path.join(audit_dir, 'trees'));
  return new BucketTiles(new S3Bucket(audit_bucket), `audit/${audit_bucket.prefix}trees`);
}

/** Tiles in the folder or bucket; checkpoints and cosignatures beside them where the store is a fold of the log, else in the store. */
export function openEvidence(config: EvidenceConfig, store: Store, keys: KeyRing): Evidence {
  const signer = signerOf(keys, config.audit_origin);
  const checkpoints = store.durable ? new CheckpointTable(store) : new CheckpointFolder(path.join(config.audit_dir, 'checkpoints'));
  const kept = (name: string) => (store.durable ? new TextRow(store, name) : new TextFile(path.join(config.audit_dir, `${name}.json`)));
  const cosigned = new CosignedNotes(kept('cosigned'), checkpoints, signer.verifier, config.audit_witnesses);
  return { tiles: tilesIn(config), checkpoints, signer, cosigned, checked: kept('checked') };
}
