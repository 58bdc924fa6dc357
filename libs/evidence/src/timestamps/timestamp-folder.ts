import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TextFile } from '../checkpoints/kept-text.js';
import type { TimestampedCheckpoint, TimestampStore } from './timestamp-store.js';

const NAME = /^(\d{12})\.json$/;
const fileOf = (number: number) => `${String(number).padStart(12, '0')}.json`;

/** Timestamped checkpoints of an embedded installation, a synced file each. One process writes. */
export class TimestampFolder implements TimestampStore {
  constructor(private readonly dir: string) {}

  private async names(): Promise<string[]> {
    const names = await readdir(this.dir).catch(() => [] as string[]);
    return names.filter((name) => NAME.test(name)).sort();
  }

  async newest(): Promise<TimestampedCheckpoint | undefined> {
    return this.read((await this.names()).at(-1));
  }

  async covering(number: number): Promise<TimestampedCheckpoint | undefined> {
    const from = fileOf(number);
    return this.read((await this.names()).find((name) => name >= from));
  }

  private async read(name: string | undefined): Promise<TimestampedCheckpoint | undefined> {
    return name === undefined ? undefined : (JSON.parse(await readFile(join(this.dir, name), 'utf8')) as TimestampedCheckpoint);
  }

  async add(stamped: TimestampedCheckpoint): Promise<void> {
    await new TextFile(join(this.dir, fileOf(stamped.number))).replace(undefined, JSON.stringify(stamped));
  }
}
