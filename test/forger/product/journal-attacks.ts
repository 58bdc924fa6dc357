import { carriedTopics, parseTopic } from '@countersign/contracts';
import type { LogRecord } from '@countersign/event-log';
import { forgeRecord } from '@countersign/event-log/testing/forged-journal';
import { type Edit, readJournal, removeOldFiles, rewriteJournal } from '@countersign/event-log/testing/rewritten-journal';
import { CHECKPOINT_TOPIC } from '@countersign/evidence';
import type { Random } from '../random.js';
import { FORGED, HONEST } from './honest-history.js';
import { logDir, type ProductAttack, type Target } from './product-attack.js';

export const placeOf = ({ topic, partition, offset }: LogRecord): string => `${topic}/${partition} offset ${offset}`;
const isAt = (a: LogRecord, b: LogRecord) => a.topic === b.topic && a.partition === b.partition && a.offset === b.offset;

/** The records that trees cover. The server signed the last ones when it stopped. */
export async function coveredRecords(target: Target): Promise<LogRecord[]> {
  return (await readJournal(logDir(target))).filter(({ topic }) => topic !== CHECKPOINT_TOPIC);
}

const anyRecord = async (target: Target): Promise<LogRecord> => target.random.pick(await coveredRecords(target));

/** A request of a call whose inputs are readable on the log. */
export async function honestRequest(target: Target): Promise<LogRecord> {
  const isHonest = ({ topic, value }: LogRecord) => topic === 'tool-call-requested' && value.includes(HONEST);
  return target.random.pick((await coveredRecords(target)).filter(isHonest));
}

export function withForgedText(record: LogRecord): LogRecord {
  const value = Buffer.from(record.value);
  value.write(FORGED, value.indexOf(HONEST));
  return { ...record, value };
}

/** The same record with other content, in one of the ways that a leaf covers. */
function changed(record: LogRecord, random: Random): LogRecord {
  const at = random.below(record.value.length);
  const flipped = Buffer.from(record.value.map((byte, index) => (index === at ? byte ^ 1 : byte)));
  return random.pick<() => LogRecord>([
    () => (record.value.includes(HONEST) ? withForgedText(record) : { ...record, value: flipped }),
    () => ({ ...record, value: flipped }),
    () => ({ ...record, timestamp_ms: record.timestamp_ms - random.between(1, 1000) }),
    () => ({ ...record, key: `${record.key ?? ''}x` }),
    () => ({ ...record, headers: { ...record.headers, forged: 'true' } }),
  ])();
}

const replace =
  (places: readonly [LogRecord, readonly LogRecord[]][]): Edit =>
  (record) =>
    places.find(([place]) => isAt(place, record))?.[1] ?? [record];

/** The records of the partition of a random record, if it has more than one. */
async function anyPartition(target: Target): Promise<LogRecord[]> {
  const records = await coveredRecords(target);
  const of = (one: LogRecord) => records.filter(({ topic, partition }) => topic === one.topic && partition === one.partition);
  for (;;) {
    const found = of(target.random.pick(records));
    if (found.length > 1) return found;
  }
}

async function rewritten(target: Target, edit: Edit, what: string): Promise<string> {
  await rewriteJournal(logDir(target), edit);
  return what;
}

const SERVER = ['server', 'scrub'] as const;

/** Forgeries of the journal, with correct checksums, by the owner of the disk. */
export const journalAttacks: readonly ProductAttack[] = [
  {
    name: 'a record changed',
    with_key: false,
    found_by: SERVER,
    async forge(target) {
      const record = await anyRecord(target);
      return rewritten(target, replace([[record, [changed(record, target.random)]]]), placeOf(record));
    },
  },
  {
    name: 'a record changed below the running server',
    with_key: false,
    found_by: SERVER,
    isRunning: true,
    async forge(target) {
      const record = await honestRequest(target);
      await forgeRecord(logDir(target), record, (value) => void value.write(FORGED, value.indexOf(HONEST)));
      return placeOf(record);
    },
  },
  {
    name: 'a record dropped',
    with_key: false,
    found_by: SERVER,
    async forge(target) {
      const record = await anyRecord(target);
      return rewritten(target, replace([[record, []]]), placeOf(record));
    },
  },
  {
    name: 'two records swapped',
    with_key: false,
    found_by: SERVER,
    async forge(target) {
      const records = await anyPartition(target);
      const at = target.random.below(records.length - 1);
      const [one, other] = [records[at] as LogRecord, records[at + 1] as LogRecord];
      return rewritten(target, replace([[one, [other]], [other, [one]]]), placeOf(one)); // biome-ignore format: pairs
    },
  },
  {
    name: 'a record inserted',
    with_key: false,
    found_by: SERVER,
    async forge(target) {
      const [before, copied] = [await anyRecord(target), await anyRecord(target)];
      const invented = { ...copied, topic: before.topic, partition: before.partition };
      return rewritten(target, replace([[before, [invented, before]]]), placeOf(before));
    },
  },
  {
    name: 'the end of a partition cut off',
    with_key: false,
    found_by: SERVER,
    async forge(target) {
      const records = await anyPartition(target);
      const first = target.random.pick(records.slice(1));
      const isCut = (record: LogRecord) =>
        record.topic === first.topic && record.partition === first.partition && record.offset >= first.offset;
      return rewritten(target, (record) => (isCut(record) ? [] : [record]), placeOf(first));
    },
  },
  {
    name: 'the end of a partition replaced',
    with_key: false,
    found_by: SERVER,
    async forge(target) {
      const records = await anyPartition(target);
      const first = target.random.pick(records);
      const isForged = (record: LogRecord) =>
        record.topic === first.topic && record.partition === first.partition && record.offset >= first.offset;
      return rewritten(target, (record) => (isForged(record) ? [changed(record, target.random)] : [record]), placeOf(first));
    },
  },
  {
    name: 'old records removed without a signed `log_dropped`',
    with_key: false,
    found_by: ['server'],
    async forge(target) {
      const lost = await removeOldFiles(logDir(target), (topic) => carriedTopics.has(parseTopic(topic).topic));
      if (lost.length === 0) throw new Error('no record was lost');
      return `${lost.length} records`;
    },
  },
];
