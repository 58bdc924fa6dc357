import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { ToolError } from '@countersign/tool-kit';
import { type Entry, LedgerState, type OpeningRecords } from './ledger-state.js';

const NEW_LINE = 0x0a;
export const ENTRY_BYTES_MAX = 64 * 1024;
export const JOURNAL_BYTES_MAX = 32 * 1024 * 1024;

/** A file of JSON lines and its fold in memory. An entry is on the disk before it is in the fold. */
export class Journal {
  private state: LedgerState;
  private bytes = 0;
  private inode = 0;

  constructor(
    private readonly file: string,
    private readonly opening: OpeningRecords,
  ) {
    this.state = new LedgerState(opening);
  }

  /** The fold of all that is on the disk, also of what other processes wrote. */
  async current(): Promise<LedgerState> {
    const handle = await open(this.file, 'r').catch(ignoreMissing);
    if (!handle) return this.startAgain(0);
    try {
      const { ino, size } = await handle.stat();
      if (ino !== this.inode || size < this.bytes) this.startAgain(ino);
      if (size > this.bytes) await this.foldFrom(handle, size);
      return this.state;
    } finally {
      await handle.close();
    }
  }

  /** Appends an entry behind the last complete line. Only the one writer calls it, after `current`. */
  async append(entry: Entry): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(entry)}\n`);
    if (line.length > ENTRY_BYTES_MAX) throw full(`an entry may have ${ENTRY_BYTES_MAX} bytes, and this one has ${line.length}`);
    if (this.bytes + line.length > JOURNAL_BYTES_MAX)
      throw full(`it has ${this.bytes} of ${JOURNAL_BYTES_MAX} bytes: an operator must archive ${path.basename(this.file)}`);
    const handle = await open(this.file, 'a+', 0o600);
    try {
      // What a crash left of a line is no entry.
      await handle.truncate(this.bytes);
      await handle.appendFile(line);
      await handle.sync();
      this.inode = (await handle.stat()).ino;
    } finally {
      await handle.close();
    }
    if (this.bytes === 0) await syncFolder(path.dirname(this.file));
    this.bytes += line.length;
    this.state.fold(entry);
  }

  private startAgain(inode: number): LedgerState {
    this.state = new LedgerState(this.opening);
    this.bytes = 0;
    this.inode = inode;
    return this.state;
  }

  private async foldFrom(handle: FileHandle, size: number): Promise<void> {
    const more = Buffer.alloc(size - this.bytes);
    const { bytesRead } = await handle.read(more, 0, more.length, this.bytes);
    const read = more.subarray(0, bytesRead);
    const complete = read.subarray(0, read.lastIndexOf(NEW_LINE) + 1);
    for (const line of complete.toString('utf8').split('\n')) if (line !== '') this.state.fold(this.entryOf(line));
    this.bytes += complete.length;
  }

  private entryOf(line: string): Entry {
    try {
      return JSON.parse(line) as Entry;
    } catch {
      const why = `the ledger is damaged: ${path.basename(this.file)} has a line that is not JSON behind byte ${this.bytes}`;
      throw new ToolError('PROVIDER_ERROR', why, { class: 'server', details: { reason: 'ledger_damaged' }, effect: 'none' });
    }
  }
}

function full(why: string): ToolError {
  return new ToolError('PROVIDER_ERROR', `the ledger is full: ${why}`, {
    class: 'semantic',
    details: { reason: 'ledger_full' },
    effect: 'none',
  });
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function ignoreMissing(error: unknown): undefined {
  if ((error as { code?: string }).code === 'ENOENT') return undefined;
  throw error;
}
