export {
  type Cut,
  caseHash,
  caseStart,
  checkedBy,
  cosignedAt,
  leafIndex,
  nextCut,
  parseNote,
  type RecordProof,
  type RecordToCover,
  readCut,
  signatureLine,
  strangeCut,
  type Trust,
  type Witness,
  type WitnessChecks,
} from '@countersign/verifier';
export { strictBase64 } from './bytes/strict-base64.js';
export { nodeCrypto } from './crypto/node-crypto.js';
export { coveredHeads, type Followed, type FollowTerms, followEntries, openHeads, type Passed } from './heads/follow-entries.js';
export { HeadsLog, type NextEntry, strangeMove } from './heads/heads-log.js';
export { DECISIONS, type Decision, type OpenedTree, type Opening, openingsIn, type ProvenDecision } from './heads/openings.js';
export {
  type CoveredHeads,
  type ReadDecision,
  readDecisions,
  readHead,
  type ServedEntries,
  type ServedEntry,
  type TreeMove,
  type WireDecision,
  type WireHead,
  type WireMove,
  wireHead,
  wireMove,
} from './heads/served-entries.js';
export { Frontier } from './merkle/frontier.js';
export { EMPTY_ROOT, HASH_BYTES, leafHash, nodeHashing } from './merkle/hashing.js';
export { consistencyProof, inclusionProof, rootOf, type SubtreeHash } from './merkle/tree.js';
export { isConsistent } from './merkle/verify.js';
export { type Checkpoint, openCheckpoint, signCheckpoint } from './note/checkpoint.js';
export { cosign } from './note/cosignature.js';
export { COSIGNATURE_V1, type NoteSigner, type NoteVerifier, noteSigner, parseVkey } from './note/note-key.js';
export { parseWitness } from './note/witness-key.js';
export { recordHash } from './record/record-leaf.js';
export { openTrusted, type TrustedCheckpoint, verifyRecord, verifyUnder } from './record/record-proof.js';
export {
  baseOf,
  endOf,
  entryHash,
  type Generation,
  generationNumber,
  headName,
  headProof,
  headsRoot,
  sortedHeads,
  type TreeHead,
  type TreePlace,
} from './record/tree-heads.js';
export { coveredEnd, leafAt, newestHead, offsetOf, spansOf, type TreeSpan } from './record/tree-spans.js';
export { GrowingTree, type TileAppend } from './tiles/growing-tree.js';
export { ProvenTiles } from './tiles/proven-tiles.js';
export { type ReadTile, subtreesOf } from './tiles/tile-hashes.js';
export { parseTilePath, TILE_WIDTH, type Tile, tilePath } from './tiles/tile-path.js';
