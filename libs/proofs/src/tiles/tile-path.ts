/** Number of hashes in a full tile: tiles have height 8 (C2SP tlog-tiles). */
export const TILE_WIDTH = 256;
export const TILE_HEIGHT = 8;

/** A tile: hashes [index * 256, index * 256 + width) of the subtrees over 256^level leaves. */
export interface Tile {
  level: number;
  index: number;
  /** 1 to 256; below 256 the tile is partial. */
  width: number;
}

/** Formats an index, for example `1234067` as `x001/x234/067` (C2SP tlog-tiles, "Merkle Tree"). */
function indexPath(index: number): string {
  const groups = [String(index % 1000).padStart(3, '0')];
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000)) {
    groups.unshift(`x${String(rest % 1000).padStart(3, '0')}`);
  }
  return groups.join('/');
}

/** Path of a tile below its tree: `<level>/<index>`, with `.p/<width>` if it is partial (C2SP tlog-tiles). */
export function tilePath({ level, index, width }: Tile): string {
  const path = `${level}/${indexPath(index)}`;
  return width === TILE_WIDTH ? path : `${path}.p/${width}`;
}

const PATH = /^(\d{1,2})\/((?:x\d{3}\/){0,4})(\d{3})(?:\.p\/(\d{1,3}))?$/;

/** Parses the path of a tile; undefined if it is invalid. */
export function parseTilePath(path: string): Tile | undefined {
  const [, level, groups, last, width] = PATH.exec(path) ?? [];
  if (level === undefined || groups === undefined || last === undefined) return undefined;
  const tile = {
    level: Number(level),
    index: Number(groups.replaceAll(/[x/]/g, '') + last),
    width: width === undefined ? TILE_WIDTH : Number(width),
  };
  return tilePath(tile) === path && tile.width >= 1 && tile.width <= TILE_WIDTH && !(width !== undefined && tile.width === TILE_WIDTH)
    ? tile
    : undefined;
}
