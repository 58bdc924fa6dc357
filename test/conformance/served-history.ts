import { consistencyProof, type NoteVerifier, openCheckpoint, parseTilePath, subtreesOf } from '@countersign/proofs';
import type { History } from '../forger/history.js';
import type { Answers } from './http-log.js';

const HASH_BYTES = 32;
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** The tiles of a history by tree, level and index. */
async function tilesOf(history: History): Promise<Map<string, Buffer>> {
  const tiles = new Map<string, Buffer>();
  for (const [tree, { level, index, hashes }] of (await history.stored()).tiles) {
    const name = `${tree}/${level}/${index}`;
    tiles.set(name, Buffer.concat([tiles.get(name) ?? Buffer.alloc(0), hashes]));
  }
  return tiles;
}

function tile(tiles: ReadonlyMap<string, Buffer>, path: string): Buffer | undefined {
  const [, tree, rest] = /^(checkpoints|[^/]+\/[^/]+)\/(.+)$/.exec(decodeURIComponent(path)) ?? [];
  const place = parseTilePath(rest ?? '');
  const hashes = place && tiles.get(`${tree}/${place.level}/${place.index}`);
  return hashes && place && hashes.length >= place.width * HASH_BYTES ? hashes.subarray(0, place.width * HASH_BYTES) : undefined;
}

/** What a gateway answers whose log has this history. */
export async function servedHistory(history: History, log: NoteVerifier): Promise<Answers> {
  const tiles = await tilesOf(history);
  const entries = subtreesOf(async (level, index) => tiles.get(`checkpoints/${level}/${index}`) ?? Buffer.alloc(0));
  return async (path) => {
    const { pathname, searchParams } = new URL(path, 'http://log.example/');
    const number = (name: string) => Number(searchParams.get(name) ?? history.size);
    if (pathname.startsWith('/tile/')) return tile(tiles, pathname.slice('/tile/'.length));
    if (pathname === '/checkpoint') return Buffer.from(history.note());
    if (pathname === '/heads') return json(await history.heads(number('size')));
    if (pathname === '/entries') return json(await history.entriesUpTo(number('first'), number('second')));
    if (pathname !== '/consistency') return undefined;
    const first = number('first');
    const path64 = (await consistencyProof(entries, first, history.size)).map((hash) => hash.toString('base64'));
    const second = openCheckpoint(history.note(), log)?.size;
    return json({ first, second, path: path64, checkpoint: history.note() });
  };
}
