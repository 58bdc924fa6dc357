import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { CASES_TOPIC } from '@countersign/contracts';
import { rewriteJournal } from '@countersign/event-log/testing/rewritten-journal';
import { CHECKPOINT_TOPIC } from '@countersign/evidence';
import { type CheckpointRecord, headOf, withHeads } from '@countersign/evidence/checkpoints/checkpoint-store';
import { HeadsLog, headName, signCheckpoint, type TreeHead, wireHead } from '@countersign/proofs';
import { grown } from '../history.js';
import { ownersKey } from '../rewrite-a-record.js';
import { forgetMarks, storeCheckpoints, storedCheckpoints, storeOnTopic } from './checkpoint-files.js';
import { honestRequest, placeOf, withForgedText } from './journal-attacks.js';
import { auditDir, logDir, type ProductAttack, type Target } from './product-attack.js';
import { leavesOf } from './tile-attacks.js';

interface Forged {
  /** The tree of the changed record, and its leaves after the change. */
  tree: string;
  leaves: readonly Buffer[];
  /** The first entry that covers the record. */
  first: number;
  what: string;
}

/** Changes a request in the journal. Tiles and rows that would show it are deleted: both are folded again. */
async function changeRequest(target: Target): Promise<Forged> {
  const checkpoints = storedCheckpoints(target).slice(0, target.history.kept_size - 1);
  const record = await honestRequest(target);
  const tree = headName(record);
  const first = checkpoints.findIndex(({ heads }) => heads.some((head) => headName(headOf(head)) === tree && head[2] > record.offset));
  if (first < 0) return changeRequest(target);
  const isIt = ({ topic, partition, offset }: typeof record) =>
    topic === record.topic && partition === record.partition && offset === record.offset;
  await rewriteJournal(logDir(target), (each) => [isIt(each) ? withForgedText(each) : each]);
  for (const name of ['trees', 'checked.json', 'cosigned.json', 'scrubbed.json'])
    rmSync(auditDir(target, name), { recursive: true, force: true });
  rmSync(path.join(target.installation.dataDir, 'pg'), { recursive: true });
  return { tree, leaves: await leavesOf(target, record.topic, record.partition), first, what: `${placeOf(record)}, entry ${first}` };
}

/** Signs all entries again, with the forged head in those for which `isForged` says so. */
async function signAgain(target: Target, { tree, leaves, first }: Forged, isForged: (entry: number) => boolean): Promise<void> {
  const before = storedCheckpoints(target);
  const signer = await ownersKey(target.installation.dataDir, (before[0] as CheckpointRecord).note);
  const signed = HeadsLog.empty();
  const after: CheckpointRecord[] = [];
  let honest = new Map<string, TreeHead>();
  for (const record of before) {
    honest = withHeads(honest, record);
    const moved = new Map(record.heads.map(headOf).map((head) => [headName(head), head]));
    const own = honest.get(tree);
    // A forged head may have to be taken back in an entry in which the honest one did not move.
    if (own && record.number >= first) moved.set(tree, isForged(record.number) ? await forgedHead(own, leaves) : own);
    signed.appendHeads(record.time_ms, [...moved.values()], record.cut);
    const { number, time_ms, trees, heads_root } = signed.lastEntry as NonNullable<HeadsLog['lastEntry']>;
    const heads = (record.full ? signed.all : [...moved.values()]).map(wireHead);
    const note = signCheckpoint({ size: signed.size, root: signed.root() }, signer);
    after.push({ ...record, number, time_ms, trees, heads_root: heads_root.toString('base64'), heads, note });
  }
  storeCheckpoints(target, after);
  await storeOnTopic(target, after);
  forgetMarks(target);
}

async function forgedHead(head: TreeHead, leaves: readonly Buffer[]): Promise<TreeHead> {
  return { ...head, root: await grown(leaves.slice(0, head.size)).root };
}

function restoreOld({ history, installation }: Target): void {
  rmSync(installation.dataDir, { recursive: true });
  cpSync(history.file('old'), installation.dataDir, { recursive: true });
}

const OUTSIDE = ['witness', 'client'] as const;

/** Forgeries by the owner of disk and key. */
export const keyAttacks: readonly ProductAttack[] = [
  {
    name: 'a record changed, only later checkpoints signed again',
    with_key: true,
    found_by: ['server', 'witness', 'client'],
    async forge(target) {
      const forged = await changeRequest(target);
      const last = target.history.kept_size - 1;
      const from = target.random.between(forged.first + 1, Math.max(forged.first + 1, last));
      await signAgain(target, forged, (entry) => entry >= from);
      return `${forged.what}, signed from entry ${from}`;
    },
  },
  {
    name: 'one false entry signed, the next ones honest',
    with_key: true,
    found_by: ['server', 'witness', 'client'],
    async forge(target) {
      const forged = await changeRequest(target);
      const at = target.random.between(forged.first, target.history.kept_size - 2);
      await rewriteJournal(logDir(target), (record) => [record]);
      await signAgain(target, forged, (entry) => entry === at);
      return `${forged.what}, entry ${at}`;
    },
  },
  {
    name: 'a record changed, everything signed again',
    with_key: true,
    found_by: OUTSIDE,
    async forge(target) {
      const forged = await changeRequest(target);
      await signAgain(target, forged, () => true);
      return forged.what;
    },
  },
  {
    name: 'the whole folder rolled back to an older copy',
    with_key: true,
    found_by: OUTSIDE,
    async forge(target) {
      restoreOld(target);
      return `checkpoint ${target.history.old_size}`;
    },
  },
  {
    name: 'the log forked from an older copy',
    with_key: true,
    found_by: OUTSIDE,
    async forge(target) {
      restoreOld(target);
      const { installation, history, random } = target;
      await installation.up({ ...history.env });
      const calls = random.between(3, 12);
      for (let n = 0; n < calls; n++)
        await installation.admin().call({ tool: 'write_file', inputs: { path: `fork-${n}.txt`, content: 'fork', mode: 'create' } });
      await installation.process.stop();
      return `checkpoint ${history.old_size}, ${calls} calls`;
    },
  },
  {
    name: 'the record written anew from the first entry',
    with_key: true,
    found_by: OUTSIDE,
    async forge(target) {
      const record = await honestRequest(target);
      const isIt = ({ topic, partition, offset }: typeof record) =>
        topic === record.topic && partition === record.partition && offset === record.offset;
      const isSigners = ({ topic: name }: typeof record) => name === CHECKPOINT_TOPIC || name === CASES_TOPIC;
      await rewriteJournal(logDir(target), (each) => (isSigners(each) ? [] : [isIt(each) ? withForgedText(each) : each]));
      rmSync(auditDir(target), { recursive: true });
      rmSync(path.join(target.installation.dataDir, 'pg'), { recursive: true });
      return placeOf(record);
    },
  },
];
