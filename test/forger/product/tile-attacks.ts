import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rewriteJournal } from '@countersign/event-log/testing/rewritten-journal';
import { TileFolder, treeName } from '@countersign/evidence';
import { recordHash } from '@countersign/proofs';
import { grown } from '../history.js';
import { coveredRecords, honestRequest, placeOf, withForgedText } from './journal-attacks.js';
import { auditDir, logDir, type ProductAttack, type Target } from './product-attack.js';

function tileFiles(target: Target): string[] {
  const trees = auditDir(target, 'trees');
  return readdirSync(trees, { recursive: true })
    .map((name) => path.join(trees, String(name)))
    .filter((file) => statSync(file).isFile());
}

function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] as number) ^ 1;
  return changed;
}

/** The leaf hashes of a partition as they stand in the journal. */
export async function leavesOf(target: Target, topic: string, partition: number): Promise<Buffer[]> {
  const records = (await coveredRecords(target)).filter((record) => record.topic === topic && record.partition === partition);
  return records.map(recordHash);
}

/** Writes the tiles of a tree again, over what the journal holds now. */
async function hashAgain(target: Target, topic: string, partition: number): Promise<void> {
  const name = treeName(topic, partition);
  rmSync(auditDir(target, 'trees', name), { recursive: true, force: true });
  const tiles = new TileFolder(auditDir(target, 'trees'));
  for (const part of grown(await leavesOf(target, topic, partition)).tiles) await tiles.append(name, part);
}

/** Forgeries of the tiles, which are derived from the log. */
export const tileAttacks: readonly ProductAttack[] = [
  {
    name: 'tiles changed, cut or deleted',
    with_key: false,
    found_by: [],
    async forge(target) {
      const { random } = target;
      const file = random.pick(tileFiles(target));
      const bytes = readFileSync(file);
      const kind = random.pick(['changed', 'cut', 'deleted', 'all deleted']);
      if (kind === 'changed') writeFileSync(file, flipped(bytes, random.below(bytes.length)));
      if (kind === 'cut') writeFileSync(file, bytes.subarray(0, random.below(bytes.length)));
      if (kind === 'deleted') rmSync(file);
      if (kind === 'all deleted') rmSync(auditDir(target, 'trees'), { recursive: true });
      return `${file} ${kind}`;
    },
  },
  {
    name: 'a record changed, and its tiles',
    with_key: false,
    found_by: ['server', 'scrub'],
    async forge(target) {
      const record = await honestRequest(target);
      const isIt = ({ topic, partition, offset }: typeof record) =>
        topic === record.topic && partition === record.partition && offset === record.offset;
      await rewriteJournal(logDir(target), (each) => [isIt(each) ? withForgedText(each) : each]);
      await hashAgain(target, record.topic, record.partition);
      return placeOf(record);
    },
  },
];
