import { TILE_WIDTH, type TileAppend, tilePath } from '@countersign/proofs';

/** The tree over the checkpoints' entries; every other tree is named as `headName` says: `<topic>/<partition>`, or with `#2` and so on behind it. */
export const CHECKPOINTS_TREE = 'checkpoints';

/** The name of a partition, and of its original tree. */
export const treeName = (topic: string, partition: number): string => `${topic}/${partition}`;

const NAME = /^(checkpoints|[A-Za-z0-9._-]{1,255}\/\d{1,4}(#\d{1,4})?)$/;

/**
 * The tiles of all trees, each up to 8,192 bytes; a partial tile is the beginning of what it will be. They follow from the
 * log: what a restart finds is checked against the last checkpoint. One process writes, any number read.
 */
export interface Tiles {
  /** Writes hashes at their place; the same again changes nothing. */
  append(tree: string, part: TileAppend): Promise<void>;
  /** The hashes of a tile, as many as there are; empty if there is none. */
  read(tree: string, level: number, index: number): Promise<Buffer>;
}

/** `<tree>/<level>/<index>`, as C2SP tlog-tiles writes it; a later generation is `<topic>/<partition>.g2`, which is safe in addresses. @throws RangeError for what is no tree */
export function placeOfTile(tree: string, level: number, index: number): string {
  if (!NAME.test(tree) || tree.includes('..')) throw new RangeError(`${tree} is not the name of a tree`);
  return `${tree.replace('#', '.g')}/${tilePath({ level, index, width: TILE_WIDTH })}`;
}
