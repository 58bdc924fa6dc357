export { CheckpointFolder } from './checkpoints/checkpoint-folder.js';
export { type CheckpointRecord, type CheckpointStore, type NewestCheckpoint, treeName } from './checkpoints/checkpoint-store.js';
export { CheckpointTable } from './checkpoints/checkpoint-table.js';
export { CheckpointSigner } from './checkpoints/signer.js';
export { type ProofAnswer, ProofReader } from './proof-reader.js';
export { BrokenRecord, CoveredTree } from './trees/covered-tree.js';
export { CHECKPOINTS_TREE, TileFolder } from './trees/tile-folder.js';
