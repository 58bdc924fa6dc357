import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { InfrastructureFault } from '@countersign/contracts';
import { MemorySubjectKeys } from './memory-subject-keys.js';
import type { KeptKey } from './subject-keys.js';

/** A record never crosses a disk sector, so an overwrite is atomic. */
const RECORD_BYTES = 1024;
const DIGEST_HEX = 16;
const BLANK = Buffer.alloc(RECORD_BYTES, ' ');

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, DIGEST_HEX);

function recordOf(key: KeptKey): Buffer {
  const text = JSON.stringify({ ...key, wrapped: key.wrapped.toString('base64') });
  const record = Buffer.from(`${digestOf(text)} ${text}`);
  if (record.length > RECORD_BYTES) throw new Error('the key of a data subject has too many markings');
  return Buffer.concat([record, BLANK.subarray(record.length)]);
}

/** Undefined: no key is here (any more). @throws Error if the record is damaged */
function keyOf(record: Buffer, at: number): KeptKey | undefined {
  const text = record.toString().trimEnd();
  if (text === '') return undefined;
  const body = text.slice(DIGEST_HEX + 1);
  if (text.slice(0, DIGEST_HEX) !== digestOf(body)) {
    // One of its sectors is blank: a crash interrupted its destruction, so it counts as destroyed.
    if (text.startsWith(' ') || !text.endsWith('}')) return undefined;
    throw new Error(`record ${at} is damaged: restore the file from a backup`);
  }
  const kept = JSON.parse(body) as Omit<KeptKey, 'wrapped'> & { wrapped: string };
  return { ...kept, wrapped: Buffer.from(kept.wrapped, 'base64') };
}

/**
 * Keys of subjects in one private file (mode 0600) of records of one size, so that a destroyed key is overwritten in place and synced.
 * One process uses it (the data directory is locked).
 */
export class FileSubjectKeys extends MemorySubjectKeys {
  private readonly slots = new Map<string, number>();
  private readonly free: number[] = [];
  private end = 0;
  private waiting: { at: number; bytes: Buffer }[] = [];
  private writing: Promise<void> | undefined;
  private broken: Error | undefined;

  private constructor(
    private readonly handle: FileHandle,
    wrapping_key: Buffer,
  ) {
    super(wrapping_key);
  }

  /** @throws Error where the file is damaged. */
  static async open(file: string, wrapping_key: Buffer): Promise<FileSubjectKeys> {
    const handle = await open(file, 'r+').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return open(file, 'wx+', 0o600);
      throw error;
    });
    const keys = new FileSubjectKeys(handle, wrapping_key);
    try {
      keys.load(await handle.readFile(), file);
    } catch (cause) {
      await handle.close();
      throw cause;
    }
    const folder = await open(dirname(file), 'r');
    await folder.sync();
    await folder.close();
    return keys;
  }

  override async close(): Promise<void> {
    await this.writing?.catch(() => undefined);
    await this.handle.close();
  }

  protected override keep(keys: readonly KeptKey[]): Promise<void> {
    for (const key of keys) {
      const at = this.free.pop() ?? this.end++;
      this.slots.set(key.key_id, at);
      this.waiting.push({ at, bytes: recordOf(key) });
    }
    return this.written();
  }

  protected override async wipe(keys: readonly KeptKey[]): Promise<void> {
    const slots = keys.flatMap(({ key_id }) => this.slots.get(key_id) ?? []);
    for (const { key_id } of keys) this.slots.delete(key_id);
    for (const at of slots) this.waiting.push({ at, bytes: BLANK });
    await this.written();
    this.free.push(...slots);
  }

  private load(bytes: Buffer, file: string): void {
    // An incomplete last record was never issued.
    this.end = Math.floor(bytes.length / RECORD_BYTES);
    for (let at = 0; at < this.end; at++) {
      try {
        const key = keyOf(bytes.subarray(at * RECORD_BYTES, (at + 1) * RECORD_BYTES), at);
        if (key) this.put(key);
        if (key) this.slots.set(key.key_id, at);
        else this.free.push(at);
      } catch (cause) {
        throw new Error(`the keys of data subjects in ${file}: ${(cause as Error).message}`, { cause });
      }
    }
  }

  private async written(): Promise<void> {
    if (this.broken) throw this.broken;
    while (this.waiting.length > 0 || this.writing) {
      this.writing ??= this.flush().finally(() => {
        this.writing = undefined;
      });
      await this.writing;
    }
  }

  /** After a failed sync the content of the disk is unknown: nothing more is written. */
  private async flush(): Promise<void> {
    const batch = this.waiting;
    this.waiting = [];
    try {
      for (const { at, bytes } of batch) await this.handle.write(bytes, 0, RECORD_BYTES, at * RECORD_BYTES);
      await this.handle.datasync();
    } catch (cause) {
      this.broken = new InfrastructureFault('the keys of data subjects cannot be written to their file', { cause });
      throw this.broken;
    }
  }
}
