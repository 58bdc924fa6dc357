import { createReadStream } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { SnapshotPlace } from './key-snapshot.js';

const LINES_AT_ONCE = 2000;

/** A snapshot in a file of the data directory. */
export class SnapshotFile implements SnapshotPlace {
  constructor(private readonly file: string) {}

  async write(pieces: AsyncIterable<string>): Promise<void> {
    await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
    const handle = await open(`${this.file}.new`, 'w', 0o600);
    try {
      for await (const piece of pieces) await handle.write(piece);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(`${this.file}.new`, this.file);
    const folder = await open(dirname(this.file), 'r');
    await folder.sync();
    await folder.close();
  }

  async *read(): AsyncGenerator<string> {
    let lines: string[] = [];
    try {
      for await (const line of createInterface({ input: createReadStream(this.file, 'utf8') })) {
        if (lines.push(line) < LINES_AT_ONCE) continue;
        yield lines.join('\n');
        lines = [];
      }
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw cause;
    }
    if (lines.length > 0) yield lines.join('\n');
  }
}
