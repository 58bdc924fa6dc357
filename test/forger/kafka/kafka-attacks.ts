import { readdirSync } from 'node:fs';
import path from 'node:path';
import { CHECKPOINT_TOPIC } from '@countersign/evidence';
import { coveredTopicSpecs } from '@countersign/process';
import type { Random } from '../random.js';
import { countOf, offsetOf, readBatches, renumbered, withChangedValue, withEarlierTime, writeBatches } from './batches.js';

/** The files of a broker that is down, with the topics of one installation. */
export interface BrokerFiles {
  dataDir: string;
  prefix: string;
  random: Random;
}

/** One class of forgery of a broker's files. The signer must find each of them when it starts. */
export interface KafkaAttack {
  /** Its row in the table of docs/how-to/auditors.md. */
  name: string;
  /** Changes the files. Returns where. */
  forge(files: BrokerFiles): string;
}

interface Partition {
  dir: string;
  batches: Buffer[];
}

function partitionsOf({ dataDir, prefix }: BrokerFiles, topics: readonly string[], batches_min: number): Partition[] {
  const names = new Set(topics.map((topic) => `${prefix}${topic}`));
  return readdirSync(dataDir)
    .filter((name) => names.has(name.replace(/-\d+$/, '')))
    .map((name) => ({ dir: path.join(dataDir, name), batches: readBatches(path.join(dataDir, name)) }))
    .filter(({ batches }) => batches.length >= batches_min);
}

/** The signed note is at the end. The envelope before the entry (`meta`) is no part of what is signed. */
const NOTE_CHARACTERS = 150;

const COVERED = coveredTopicSpecs(['shared'], 1).map(({ name }) => name);

function anyPartition(files: BrokerFiles, batches_min = 1): Partition {
  return files.random.pick(partitionsOf(files, COVERED, batches_min));
}

const said = ({ dir }: Partition, batch: Buffer | undefined) =>
  `${path.basename(dir)} from offset ${batch ? offsetOf(batch) : 0}, ${batch ? countOf(batch) : 0} records`;

/** Replaces batches of a partition from an index on, and closes up the offsets. */
function splice(partition: Partition, at: number, removed: number, ...added: Buffer[]): string {
  writeBatches(partition.dir, renumbered(partition.batches.toSpliced(at, removed, ...added)));
  return said(partition, partition.batches[at]);
}

function changed(batch: Buffer, random: Random): Buffer {
  const below = (count: number) => random.below(count);
  return random.below(3) === 0 ? withEarlierTime(batch, random.between(1, 1000)) : withChangedValue(batch, below);
}

/** Every class of forgery of the files of a stopped broker, with correct checksums. */
export const kafkaAttacks: readonly KafkaAttack[] = [
  {
    name: 'a record changed',
    forge(files) {
      const partition = anyPartition(files);
      const at = files.random.below(partition.batches.length);
      return splice(partition, at, 1, changed(partition.batches[at] as Buffer, files.random));
    },
  },
  {
    name: 'a record dropped',
    forge(files) {
      const partition = anyPartition(files, 2);
      const at = files.random.below(partition.batches.length);
      const left = partition.batches.toSpliced(at, 1);
      // A gap is what a compacted topic has: the offsets of the others stay.
      const isGap = files.random.below(2) === 0;
      writeBatches(partition.dir, isGap ? left : renumbered(left));
      return `${said(partition, partition.batches[at])}, ${isGap ? 'a gap' : 'closed up'}`;
    },
  },
  {
    name: 'two records swapped',
    forge(files) {
      const partition = anyPartition(files, 2);
      const at = files.random.below(partition.batches.length - 1);
      const [one, other] = partition.batches.slice(at, at + 2) as [Buffer, Buffer];
      return splice(partition, at, 2, other, one);
    },
  },
  {
    name: 'a record inserted',
    forge(files) {
      const partition = anyPartition(files);
      const at = files.random.below(partition.batches.length);
      return splice(partition, at, 0, files.random.pick(partition.batches));
    },
  },
  {
    name: 'the end of a partition cut off',
    forge(files) {
      const partition = anyPartition(files, 2);
      const at = files.random.between(1, partition.batches.length - 1);
      return splice(partition, at, partition.batches.length - at);
    },
  },
  {
    name: 'old records removed without a signed `log_dropped`',
    forge(files) {
      const partition = anyPartition(files, 2);
      const at = files.random.between(1, partition.batches.length - 1);
      const left = partition.batches.slice(at);
      writeBatches(partition.dir, left, offsetOf(left[0] as Buffer));
      return said(partition, left[0]);
    },
  },
  {
    name: 'an old checkpoint edited on the topic',
    forge(files) {
      const [partition] = partitionsOf(files, [CHECKPOINT_TOPIC], 2) as [Partition];
      const at = files.random.below(partition.batches.length - 1);
      const below = (count: number) => files.random.below(count);
      return splice(partition, at, 1, withChangedValue(partition.batches[at] as Buffer, below, NOTE_CHARACTERS));
    },
  },
];
