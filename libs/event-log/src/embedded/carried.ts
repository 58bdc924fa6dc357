import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogRecord } from '../event-log.js';
import type { Disk } from './disk.js';

const FILE = 'carried.records';

type Line = [
  topic: string,
  partition: number,
  offset: number,
  timestamp_ms: number,
  key: string | null,
  value: string,
  headers: Record<string, string>,
];

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const lineOf = ({ topic, partition, offset, timestamp_ms, key, value, headers }: LogRecord): string =>
  JSON.stringify([topic, partition, offset, timestamp_ms, key, value.toString('base64'), headers] satisfies Line);

function recordOf(line: string): LogRecord {
  const [topic, partition, offset, timestamp_ms, key, value, headers] = JSON.parse(line) as Line;
  return { topic, partition, offset, timestamp_ms, key, value: Buffer.from(value, 'base64'), headers, decoded: undefined };
}

/** What is left of segments that were dropped: where the journal begins now, and the records of topics that are never dropped. */
export class Carried {
  private constructor(
    /** Position in the journal below which there is nothing any more. */
    readonly base: number,
    private readonly records: ReadonlyMap<string, readonly LogRecord[]>,
  ) {}

  /** @throws where the file is damaged: without it the configuration would be another one */
  static async open(dir: string): Promise<Carried> {
    const text = await readFile(join(dir, FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) return new Carried(0, new Map());
    const end = text.indexOf('\n');
    const { base, digest } = JSON.parse(text.slice(0, end)) as { base: number; digest: string };
    const body = text.slice(end + 1);
    if (digestOf(body) !== digest) throw new Error(`${join(dir, FILE)} is damaged: restore it from a backup`);
    return Carried.holding(base, body.split('\n').filter(Boolean).map(recordOf));
  }

  static holding(base: number, records: readonly LogRecord[]): Carried {
    const kept = new Map<string, LogRecord[]>();
    for (const record of records) {
      const name = `${record.topic}/${record.partition}`;
      kept.set(name, [...(kept.get(name) ?? []), record]);
    }
    return new Carried(base, kept);
  }

  /** From offset 0 on, without gaps. */
  of(topic: string, partition: number): readonly LogRecord[] {
    return this.records.get(`${topic}/${partition}`) ?? [];
  }

  all(): LogRecord[] {
    return [...this.records.values()].flat();
  }

  /** Durable, under its name or not at all, when it resolves. */
  async save(dir: string, disk: Disk): Promise<void> {
    const body = this.all().map(lineOf).join('\n');
    const path = join(dir, FILE);
    const handle: FileHandle = await open(`${path}.new`, 'w', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify({ base: this.base, digest: digestOf(body) })}\n${body}`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(`${path}.new`, path);
    await disk.syncDirectory(dir);
  }
}
