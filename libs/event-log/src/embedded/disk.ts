import { close, fdatasync, ftruncate, open, read, write, writeSync } from 'node:fs';
import { open as openHandle } from 'node:fs/promises';

/** A file of the journal. Every rejection is a Node error with a `code`. */
export interface JournalFile {
  /** Writes bytes[0, length) at the position; resolves with the number of written bytes, which may be smaller. */
  write(bytes: Buffer, from: number, length: number, position: number): number | Promise<number>;
  fdatasync(): Promise<void>;
  truncate(length: number): Promise<void>;
  /** Fills the buffer from the position; reads less only at the end of the file. */
  read(into: Buffer, position: number): Promise<number>;
  close(): Promise<void>;
}

/** The file operations of the journal: tests inject faults here. */
export interface Disk {
  open(path: string, how: 'create' | 'existing'): Promise<JournalFile>;
  /** Makes created, renamed and removed directory entries durable. */
  syncDirectory(path: string): Promise<void>;
}

// A small write into the page cache costs less than a hop to the thread pool; the sync never runs on the main thread.
const WRITE_AT_ONCE_BYTES = 64 * 1024;

class NodeFile implements JournalFile {
  constructor(private readonly fd: number) {}

  write(bytes: Buffer, from: number, length: number, position: number): number | Promise<number> {
    if (length <= WRITE_AT_ONCE_BYTES) return writeSync(this.fd, bytes, from, length, position);
    return new Promise((resolve, reject) => {
      write(this.fd, bytes, from, length, position, (error, written) => (error ? reject(error) : resolve(written)));
    });
  }

  fdatasync(): Promise<void> {
    return new Promise((resolve, reject) => fdatasync(this.fd, (error) => (error ? reject(error) : resolve())));
  }

  truncate(length: number): Promise<void> {
    return new Promise((resolve, reject) => ftruncate(this.fd, length, (error) => (error ? reject(error) : resolve())));
  }

  async read(into: Buffer, position: number): Promise<number> {
    let done = 0;
    while (done < into.length) {
      const got = await this.#readOnce(into, done, position + done);
      if (got === 0) break;
      done += got;
    }
    return done;
  }

  #readOnce(into: Buffer, from: number, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      read(this.fd, into, from, into.length - from, position, (error, got) => (error ? reject(error) : resolve(got)));
    });
  }

  close(): Promise<void> {
    return new Promise((resolve, reject) => close(this.fd, (error) => (error ? reject(error) : resolve())));
  }
}

export class NodeDisk implements Disk {
  open(path: string, how: 'create' | 'existing'): Promise<JournalFile> {
    return new Promise((resolve, reject) => {
      open(path, how === 'create' ? 'wx+' : 'r+', 0o600, (error, fd) => (error ? reject(error) : resolve(new NodeFile(fd))));
    });
  }

  async syncDirectory(path: string): Promise<void> {
    const handle = await openHandle(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}
