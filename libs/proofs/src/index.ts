export { EMPTY_ROOT, HASH_BYTES, leafHash, nodeHash } from './merkle/hashing.js';
export { consistencyProof, inclusionProof, rootOf, type SubtreeHash } from './merkle/tree.js';
export { isConsistent, isIncluded, rootFromInclusion } from './merkle/verify.js';
export { type Checkpoint, checkpointIn, openCheckpoint, signCheckpoint } from './note/checkpoint.js';
export { cosign, cosignedAt } from './note/cosignature.js';
export { COSIGNATURE_V1, ED25519, type NoteSigner, type NoteVerifier, noteSigner, parseVkey } from './note/note-key.js';
export { isSignedBy, parseNote, type SignedNote, signatureLine, signNote } from './note/signed-note.js';
export { type RecordToCover, recordHash } from './record/record-leaf.js';
export {
  openTrusted,
  type RecordProof,
  type Trust,
  type TrustedCheckpoint,
  type Verdict,
  verifyRecord,
  verifyUnder,
} from './record/record-proof.js';
export { strictBase64 } from './record/strict-base64.js';
export { type CheckpointEntry, entryHash, headHash, headProof, headsRoot, sortedHeads, type TreeHead } from './record/tree-heads.js';
export { GrowingTree, type TileAppend } from './tiles/growing-tree.js';
export { type ReadTile, subtreesOf, TileFault } from './tiles/tile-hashes.js';
export { parseTilePath, TILE_HEIGHT, TILE_WIDTH, type Tile, tilePath } from './tiles/tile-path.js';
