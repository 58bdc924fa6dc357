import { createHash } from 'node:crypto';
import path from 'node:path';
import { CheckpointFolder, type CheckpointStore, CheckpointTable, TileFolder } from '@countersign/evidence';
import { type NoteSigner, noteSigner } from '@countersign/proofs';
import type { KeyRing, Store } from '@countersign/store';

/** What proofs are made of: tiles, checkpoints, and the key that signs them. */
export interface Evidence {
  tiles: TileFolder;
  checkpoints: CheckpointStore;
  signer: NoteSigner;
}

/** The log's name in its checkpoints: the operator's, or one of its own that follows from the signing key. */
function signerOf(keys: KeyRing, origin: string | undefined): NoteSigner {
  const seed = keys.seed('audit-signer');
  const own = createHash('sha256').update(noteSigner('countersign', seed).verifier.vkey).digest('hex').slice(0, 16);
  return noteSigner(origin ?? `countersign.local/${own}`, seed);
}

/** Tiles in `dir`; checkpoints beside them where the store is a fold of the log, else in the store. */
export function openEvidence(dir: string, store: Store, keys: KeyRing, origin: string | undefined): Evidence {
  return {
    tiles: new TileFolder(path.join(dir, 'trees')),
    checkpoints: store.durable ? new CheckpointTable(store) : new CheckpointFolder(path.join(dir, 'checkpoints')),
    signer: signerOf(keys, origin),
  };
}
