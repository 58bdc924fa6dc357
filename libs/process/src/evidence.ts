import { createHash } from 'node:crypto';
import path from 'node:path';
import { CheckpointFolder, type CheckpointStore, CheckpointTable, CosignedFolder, TileFolder } from '@countersign/evidence';
import { type NoteSigner, type NoteVerifier, noteSigner } from '@countersign/proofs';
import type { KeyRing, Store } from '@countersign/store';

/** What proofs are made of: tiles, checkpoints, and the key that signs them. */
export interface Evidence {
  tiles: TileFolder;
  checkpoints: CheckpointStore;
  signer: NoteSigner;
  cosigned: CosignedFolder;
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
  audit_origin: string | undefined;
  /** Who must have seen a checkpoint for it to count as cosigned. */
  audit_witnesses: readonly NoteVerifier[];
}

/** Tiles and cosignatures in the folder; checkpoints beside them where the store is a fold of the log, else in the store. */
export function openEvidence(config: EvidenceConfig, store: Store, keys: KeyRing): Evidence {
  const dir = config.audit_dir;
  const checkpoints = store.durable ? new CheckpointTable(store) : new CheckpointFolder(path.join(dir, 'checkpoints'));
  const signer = signerOf(keys, config.audit_origin);
  return {
    tiles: new TileFolder(path.join(dir, 'trees')),
    checkpoints,
    signer,
    cosigned: new CosignedFolder(dir, checkpoints, signer.verifier, config.audit_witnesses),
  };
}
