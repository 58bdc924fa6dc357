import path from 'node:path';
import type { LogRecord } from '@countersign/event-log';
import {
  BrokenRecord,
  CheckpointFolder,
  CheckpointSigner,
  CoveredTree,
  EntriesReader,
  TextFile,
  TileFolder,
  treeName,
} from '@countersign/evidence';
import { endOf, headName, type NoteSigner, type RecordToCover } from '@countersign/proofs';
import type { Claim, History } from './history.js';
import { logOf } from './honest-log.js';

export interface Stored {
  checkpoints: CheckpointFolder;
  tiles: TileFolder;
  signer: NoteSigner;
  checked: TextFile;
}

/** The stored data of a signer, in a folder. Each call opens it again, like a restart. */
export function storedIn(dir: string, signer: NoteSigner): Stored {
  return {
    checkpoints: new CheckpointFolder(path.join(dir, 'checkpoints')),
    tiles: new TileFolder(path.join(dir, 'trees')),
    signer,
    checked: new TextFile(path.join(dir, 'checked.json')),
  };
}

/** Writes a history there as the holder of the disk and the key could. The signer had checked up to the checkpoint of this size. */
export async function plant(forged: History, honest: History, checked_size: number, dir: string, signer: NoteSigner): Promise<void> {
  const stored = storedIn(dir, signer);
  const { checkpoints, tiles } = await forged.stored();
  for (const checkpoint of checkpoints) await stored.checkpoints.append(checkpoint);
  for (const [tree, part] of tiles) await stored.tiles.append(tree, part);
  if (checked_size > 0) await stored.checked.replace(undefined, JSON.stringify({ size: checked_size, note: honest.note(checked_size) }));
  await stored.checkpoints.close();
}

export type Signed = { kind: 'kept' | 'taken' | 'nothing_new' | 'behind' } | { kind: 'broken'; reason: string };

/** Starts the signer on the stored data, reads the current log, and signs: as the projector does, without its timers. */
export async function signOnce(stored: Stored, log: Claim['trees'], time_ms: number): Promise<Signed> {
  try {
    const { signer, torn } = await CheckpointSigner.resume(stored);
    const trees = new Map<string, CoveredTree>();
    for (const head of signer.growing) {
      const name = treeName(head.topic, head.partition);
      if ((logOf(log).get(name)?.length ?? 0) < endOf(head)) throw new BrokenRecord(`${name} is shorter than what was signed`);
      trees.set(name, await CoveredTree.resume(head, stored.tiles, torn.get(headName(head))));
    }
    for (const [name, records] of logOf(log)) {
      const [topic, partition] = name.split('/') as [string, string];
      const tree = trees.get(name) ?? CoveredTree.empty(topic, Number(partition));
      trees.set(name, tree);
      tree.take(records.map(asRead));
    }
    for (const tree of trees.values()) await tree.write(stored.tiles);
    if ([...trees.values()].some(({ isBehind }) => isBehind)) return { kind: 'behind' };
    const moved = await Promise.all([...trees.values()].map((tree) => tree.move()));
    const moves = moved.flatMap((move) => (move ? [move] : []));
    return moves.length === 0 ? { kind: 'nothing_new' } : { kind: await signer.sign(moves, time_ms) };
  } catch (cause) {
    if (cause instanceof BrokenRecord) return { kind: 'broken', reason: cause.message };
    throw cause;
  } finally {
    await stored.checkpoints.close();
  }
}

const asRead = (record: RecordToCover): LogRecord => ({ ...record, value: Buffer.from(record.value) }) as LogRecord;

/** The routes that a witness requests, implemented by the product itself, which returns only what it can prove. */
export class HonestRoutes {
  constructor(private readonly stored: Stored) {}

  async checkpoint(): Promise<string> {
    return (await this.stored.checkpoints.newest())?.record.note ?? '';
  }

  async entries(first: number, second: number) {
    const answer = await new EntriesReader(this.stored.checkpoints, this.stored.tiles, this.stored.signer.verifier).entries(first, second);
    if (answer.kind !== 'found') throw new NotServed(answer.kind === 'broken' ? answer.reason : `no checkpoint ${first}`);
    return answer.found;
  }
}

/** The product refused to serve something that it cannot prove. */
export class NotServed extends Error {}
