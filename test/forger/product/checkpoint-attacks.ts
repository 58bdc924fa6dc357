import { rmSync } from 'node:fs';
import { readJournal } from '@countersign/event-log/testing/rewritten-journal';
import { CHECKPOINT_TOPIC } from '@countersign/evidence';
import type { CheckpointRecord } from '@countersign/evidence/checkpoints/checkpoint-store';
import { editTopic, forgetMarks, storeCheckpoints, storedCheckpoints, storeOnTopic } from './checkpoint-files.js';
import { auditDir, logDir, type ProductAttack, type Target } from './product-attack.js';

/** An old checkpoint: one that witness and client saw. */
const oldOne = ({ history, random }: Target): number => random.between(1, history.kept_size - 2);

function edited(record: CheckpointRecord, target: Target): CheckpointRecord {
  const root = Buffer.alloc(32, target.random.below(256)).toString('base64');
  return target.random.pick<CheckpointRecord>([
    { ...record, time_ms: record.time_ms + 1 },
    { ...record, heads_root: root },
    { ...record, note: record.note.replace(/^(.*\n\d+\n).*\n/, `$1${root}\n`) },
  ]);
}

async function cutTopic(target: Target, size: number): Promise<void> {
  await editTopic(target, (record) => (record.offset < size ? [record] : []));
}

const SERVER = ['server'] as const;

/** Forgeries of the two places of checkpoints by somebody without the key. */
export const checkpointAttacks: readonly ProductAttack[] = [
  {
    name: 'an old checkpoint edited in the store',
    with_key: false,
    found_by: SERVER,
    async forge(target) {
      const number = oldOne(target);
      const records = storedCheckpoints(target);
      storeCheckpoints(target, records.with(number, edited(records[number] as CheckpointRecord, target)));
      return `checkpoint ${number + 1}`;
    },
  },
  {
    name: 'an old checkpoint edited on the topic',
    with_key: false,
    found_by: SERVER,
    async forge(target) {
      const number = oldOne(target);
      const records = storedCheckpoints(target);
      await storeOnTopic(target, records.with(number, edited(records[number] as CheckpointRecord, target)));
      return `checkpoint ${number + 1}`;
    },
  },
  {
    name: 'an old checkpoint removed or doubled in one place',
    with_key: false,
    found_by: SERVER,
    async forge(target) {
      const number = oldOne(target);
      const records = storedCheckpoints(target);
      const [inStore, isDoubled] = [target.random.below(2) === 0, target.random.below(2) === 0];
      const more = isDoubled ? [records[number] as CheckpointRecord] : [];
      if (inStore) storeCheckpoints(target, records.toSpliced(number, isDoubled ? 0 : 1, ...more));
      else await editTopic(target, (record) => (record.offset === number ? [] : [record]));
      return `checkpoint ${number + 1} in the ${inStore ? `store, ${isDoubled ? 'doubled' : 'removed'}` : 'topic'}`;
    },
  },
  {
    name: 'checkpoints cut in one place, or the audit folder deleted',
    with_key: false,
    found_by: [],
    async forge(target) {
      const size = oldOne(target);
      const what = target.random.pick(['store', 'topic', 'folder']);
      if (what === 'store') storeCheckpoints(target, storedCheckpoints(target).slice(0, size));
      if (what === 'topic') await cutTopic(target, size);
      if (what === 'folder') rmSync(auditDir(target), { recursive: true });
      return `${what}, from checkpoint ${size + 1}`;
    },
  },
  {
    name: 'checkpoints cut in both places',
    with_key: false,
    found_by: ['server', 'witness', 'client'],
    async forge(target) {
      const size = oldOne(target);
      storeCheckpoints(target, storedCheckpoints(target).slice(0, size));
      await cutTopic(target, size);
      return `from checkpoint ${size + 1}`;
    },
  },
  {
    name: 'checkpoints cut everywhere, with the marks',
    with_key: false,
    found_by: ['witness', 'client'],
    async forge(target) {
      const size = oldOne(target);
      storeCheckpoints(target, storedCheckpoints(target).slice(0, size));
      await cutTopic(target, size);
      forgetMarks(target);
      return `from checkpoint ${size + 1} of ${(await readJournal(logDir(target))).filter(({ topic }) => topic === CHECKPOINT_TOPIC).length}`;
    },
  },
];
