import { type FileHandle, mkdir, open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TreeHead } from '@countersign/proofs';
import { BrokenRecord } from '../trees/broken-record.js';
import { type CheckpointRecord, type CheckpointStore, FULL_EVERY, type NewestCheckpoint, withHeads } from './checkpoint-store.js';

const NAME = /^\d{12}\.ndjson$/;
const READ_BYTES = 1 << 20;

/** The last file of the folder, as far as it has been read. */
interface Tail {
  name: string;
  bytes: number;
  heads: Map<string, TreeHead>;
  record: CheckpointRecord | undefined;
}

const fileOf = (number: number) => `${String(number - (number % FULL_EVERY)).padStart(12, '0')}.ndjson`;

/**
 * Checkpoints of an embedded installation: files of 1,000 lines, each starting with a full checkpoint, synced line by line. One process
 * owns the folder.
 */
export class CheckpointFolder implements CheckpointStore {
  private tail: Tail | undefined;
  private writing: { name: string; handle: FileHandle } | undefined;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly dir: string) {}

  newest(): Promise<NewestCheckpoint | undefined> {
    return this.inTurn(() => this.readNewest());
  }

  /** Runs one task at a time: all share the state of the last file. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => undefined);
    return done;
  }

  async at(number: number): Promise<NewestCheckpoint | undefined> {
    let heads = new Map<string, TreeHead>();
    for (const record of await this.recordsIn(fileOf(number))) {
      heads = withHeads(heads, record);
      if (record.number === number) return { record, heads };
    }
    return undefined;
  }

  async *records(from = 0): AsyncGenerator<CheckpointRecord> {
    const first = fileOf(from);
    for (const name of await this.names()) {
      if (name < first) continue;
      for (const record of await this.recordsIn(name)) if (record.number >= from) yield record;
    }
  }

  private async names(): Promise<string[]> {
    const names = await readdir(this.dir).catch(() => [] as string[]);
    return names.filter((each) => NAME.test(each)).sort();
  }

  private async recordsIn(name: string): Promise<CheckpointRecord[]> {
    const text = await this.inTurn(() => readFile(join(this.dir, name), 'utf8').catch(() => ''));
    const lines = text.split('\n').slice(0, -1);
    return lines.map((line) => this.recordIn(line, name));
  }

  /** @throws BrokenRecord for a line that no signer wrote */
  private recordIn(line: string, name: string): CheckpointRecord {
    try {
      return JSON.parse(line) as CheckpointRecord;
    } catch (cause) {
      throw new BrokenRecord(`${join(this.dir, name)} has a line that is not a checkpoint: it was edited`, undefined, { cause });
    }
  }

  private async readNewest(): Promise<NewestCheckpoint | undefined> {
    const tail = await this.lastFile();
    if (!tail) return undefined;
    if (await this.hasMore(tail)) await this.readOn(tail);
    const { record, heads } = tail;
    return record ? { record, heads: new Map(heads) } : undefined;
  }

  /** The file of the newest checkpoint. The next one begins only after its last line. */
  private async lastFile(): Promise<Tail | undefined> {
    if (this.tail?.record && this.tail.record.number % FULL_EVERY !== FULL_EVERY - 1) return this.tail;
    const name = (await this.names()).at(-1);
    if (name === undefined) return undefined;
    if (this.tail?.name !== name) this.tail = { name, bytes: 0, heads: new Map(), record: undefined };
    return this.tail;
  }

  private async hasMore({ name, bytes }: Tail): Promise<boolean> {
    const { size } = await stat(join(this.dir, name));
    return size > bytes;
  }

  /** Reads the new lines. Skips an incomplete last line: it was never synced and never served. */
  private async readOn(tail: Tail): Promise<void> {
    const handle = await open(join(this.dir, tail.name), 'r');
    try {
      let rest = Buffer.alloc(0);
      for (;;) {
        const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, tail.bytes + rest.length);
        if (bytesRead === 0) return;
        rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
        const end = rest.lastIndexOf('\n') + 1;
        for (const line of rest.subarray(0, end).toString().split('\n').slice(0, -1)) {
          tail.record = this.recordIn(line, tail.name);
          tail.heads = withHeads(tail.heads, tail.record);
        }
        tail.bytes += end;
        rest = rest.subarray(end);
      }
    } finally {
      await handle.close();
    }
  }

  append(record: CheckpointRecord): Promise<'kept' | 'taken'> {
    return this.inTurn(() => this.write(record));
  }

  private async write(record: CheckpointRecord): Promise<'kept' | 'taken'> {
    const next = ((await this.readNewest())?.record.number ?? -1) + 1;
    if (record.number !== next) return 'taken';
    const handle = await this.fileFor(record.number);
    // Overwrites an incomplete last line, if there is one.
    const at = record.number % FULL_EVERY === 0 ? 0 : (this.tail as Tail).bytes;
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    await handle.truncate(at);
    await handle.write(line, 0, line.length, at);
    await handle.datasync();
    this.tail = { name: fileOf(record.number), bytes: at + line.length, heads: withHeads(this.tail?.heads ?? new Map(), record), record };
    return 'kept';
  }

  private async fileFor(number: number): Promise<FileHandle> {
    const name = fileOf(number);
    if (this.writing?.name === name) return this.writing.handle;
    await this.writing?.handle.close();
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
    this.writing = { name, handle: await open(join(this.dir, name), number % FULL_EVERY === 0 ? 'w' : 'r+', 0o600) };
    const folder = await open(this.dir, 'r');
    await folder.sync();
    await folder.close();
    return this.writing.handle;
  }

  async close(): Promise<void> {
    await this.turn;
    await this.writing?.handle.close();
    this.writing = undefined;
  }
}
