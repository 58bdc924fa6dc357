import { TILE_WIDTH, type TileAppend, tilePath } from '@countersign/proofs';

/**
 * The tree over the entries of checkpoints. Every other tree is named by `headName`: `<topic>/<partition>`, with `#2` and so on appended
 * for later generations.
 */
export const CHECKPOINTS_TREE = 'checkpoints';

/** The name of a partition's original tree. */
export const treeName = (topic: string, partition: number): string => `${topic}/${partition}`;

const NAME = /^(checkpoints|[A-Za-z0-9._-]{1,255}\/\d{1,4}(#\d{1,4})?)$/;

/**
 * The tiles of all trees, at most 8,192 bytes each; a partial tile is a prefix of the complete one. They can be derived from the log: a
 * restart checks them against the last checkpoint. One writer process, any number of readers.
 */
export interface Tiles {
  /** Writes hashes at their position; idempotent. */
  append(tree: string, part: TileAppend): Promise<void>;
  /** The stored hashes of a tile; empty if there is none. */
  read(tree: string, level: number, index: number): Promise<Buffer>;
}

/**
 * `<tree>/<level>/<index>`, as in C2SP tlog-tiles. A later generation is `<topic>/<partition>.g2`, which is safe in URLs.
 * @throws RangeError for an invalid tree name
 */
export function placeOfTile(tree: string, level: number, index: number): string {
  if (!NAME.test(tree) || tree.includes('..')) throw new RangeError(`${tree} is not the name of a tree`);
  return `${tree.replace('#', '.g')}/${tilePath({ level, index, width: TILE_WIDTH })}`;
}
