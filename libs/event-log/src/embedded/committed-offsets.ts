import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { TopicOffset } from '../event-log.js';

type Saved = Record<string, Record<string, Record<string, number>>>;

const NAME = 'offsets.json';

/**
 * The committed offsets of all groups: updated in memory at once and saved in a small file about once a second. A crash loses the newest.
 */
export class CommittedOffsets {
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();

  private constructor(
    private readonly dir: string,
    private readonly save_ms: number,
    private readonly groups: Saved,
    /** Limits a saved offset to the durable head, because records would be skipped after a crash otherwise. */
    private readonly bound: (topic: string, partition: number, offset: number) => number,
  ) {}

  static async open(
    dir: string,
    save_ms: number,
    bound: (topic: string, partition: number, offset: number) => number,
  ): Promise<CommittedOffsets> {
    return new CommittedOffsets(dir, save_ms, await read(dir), bound);
  }

  get(group: string, topic: string, partition: number): number | undefined {
    const offset = this.groups[group]?.[topic]?.[partition];
    return offset === undefined ? undefined : this.bound(topic, partition, offset);
  }

  set(group: string, { topic, partition, offset }: TopicOffset): void {
    this.groups[group] ??= {};
    this.groups[group][topic] ??= {};
    this.groups[group][topic][partition] = offset;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // A full disk must not end the process: unsaved offsets are saved with the next commit.
      this.#saving = this.#saving.then(() => this.#save(false)).catch(() => undefined);
    }, this.save_ms).unref();
  }

  /** Saves and syncs the newest offsets. */
  async close(): Promise<void> {
    this.stop();
    await this.#saving;
    await this.#save(true);
  }

  /** Stops the timer without saving. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #save(synced: boolean): Promise<void> {
    const path = join(this.dir, NAME);
    const handle = await open(`${path}.new`, 'w', 0o600);
    try {
      await handle.writeFile(JSON.stringify(this.#bounded()));
      if (synced) await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(`${path}.new`, path);
  }

  #bounded(): Saved {
    const result: Saved = {};
    for (const [group, topics] of Object.entries(this.groups)) {
      result[group] = {};
      for (const [topic, partitions] of Object.entries(topics)) {
        const bounded = Object.entries(partitions).map(([partition, offset]) => [partition, this.bound(topic, Number(partition), offset)]);
        result[group][topic] = Object.fromEntries(bounded);
      }
    }
    return result;
  }
}

/** A missing file, or one that a crash damaged, means reading from the start again, which at-least-once delivery allows. */
async function read(dir: string): Promise<Saved> {
  try {
    return JSON.parse(await readFile(join(dir, NAME), 'utf8')) as Saved;
  } catch {
    return {};
  }
}
