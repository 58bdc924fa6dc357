import { type Disk, type JournalFile, NodeDisk } from './disk.js';

function fault(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/** A disk for tests that becomes full or fails on demand. */
export class FaultyDisk implements Disk {
  /** Bytes that can still be written; a write beyond the limit is cut there, as on a real disk. */
  room_bytes = Number.POSITIVE_INFINITY;
  /** Every sync from now on fails with this code. */
  sync_code: string | undefined;
  /** Every write from now on fails with this code. */
  write_code: string | undefined;
  syncs = 0;
  readonly #real = new NodeDisk();

  async open(path: string, how: 'create' | 'existing'): Promise<JournalFile> {
    return new FaultyFile(await this.#real.open(path, how), this);
  }

  syncDirectory(path: string): Promise<void> {
    return this.#real.syncDirectory(path);
  }
}

class FaultyFile implements JournalFile {
  constructor(
    private readonly real: JournalFile,
    private readonly disk: FaultyDisk,
  ) {}

  async write(bytes: Buffer, from: number, length: number, position: number): Promise<number> {
    if (this.disk.write_code !== undefined) throw fault(this.disk.write_code);
    const fits = Math.min(length, this.disk.room_bytes);
    if (fits === 0) throw fault('ENOSPC');
    this.disk.room_bytes -= fits;
    return this.real.write(bytes, from, fits, position);
  }

  async fdatasync(): Promise<void> {
    this.disk.syncs++;
    if (this.disk.sync_code !== undefined) throw fault(this.disk.sync_code);
    await this.real.fdatasync();
  }

  truncate(length: number): Promise<void> {
    return this.real.truncate(length);
  }

  read(into: Buffer, position: number): Promise<number> {
    return this.real.read(into, position);
  }

  close(): Promise<void> {
    return this.real.close();
  }
}
