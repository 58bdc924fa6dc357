import { rmSync } from 'node:fs';
import { CASES_TOPIC, EventCodec, type EventMap } from '@countersign/contracts';
import type { LogRecord } from '@countersign/event-log';
import { readJournal, rewriteJournal } from '@countersign/event-log/testing/rewritten-journal';
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

async function cutEverywhere(target: Target, size: number): Promise<void> {
  storeCheckpoints(target, storedCheckpoints(target).slice(0, size));
  await cutTopic(target, size);
  forgetMarks(target);
}

const codec = new EventCodec();

/** The number of the checkpoint that a leaf of a case is of. */
const entryOf = ({ value }: LogRecord): number => (codec.decode(value).event as EventMap['case_covered']).entry;

async function entriesOfCases(target: Target): Promise<number[]> {
  return (await readJournal(logDir(target))).filter(({ topic }) => topic === CASES_TOPIC).map(entryOf);
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
    name: 'checkpoints cut everywhere, with the marks, and leaves of cases for them left',
    with_key: false,
    found_by: ['server', 'witness', 'client'],
    async forge(target) {
      const size = target.random.between(1, Math.max(...(await entriesOfCases(target))));
      await cutEverywhere(target, size);
      return `from checkpoint ${size + 1}`;
    },
  },
  {
    name: 'checkpoints cut everywhere, with the marks and the leaves of cases',
    with_key: false,
    found_by: ['witness', 'client'],
    async forge(target) {
      const size = oldOne(target);
      await cutEverywhere(target, size);
      await rewriteJournal(logDir(target), (record) => (record.topic === CASES_TOPIC && entryOf(record) >= size ? [] : [record]));
      return `from checkpoint ${size + 1}`;
    },
  },
];
