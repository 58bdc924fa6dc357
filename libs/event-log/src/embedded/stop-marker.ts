import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disk } from './disk.js';

/** How the previous process of the log ended. `machine_crashed`: unsynced files may have lost their newest writes. */
export type LastStop = 'first_start' | 'clean' | 'killed' | 'machine_crashed';

export interface StopReport {
  last_stop: LastStop;
  /** The machine did not restart since the log was last open, so the page cache is still valid. */
  same_boot: boolean;
  /** End of the journal when it was closed, if it was closed. */
  end: number | null;
}

interface Marker {
  state: 'running' | 'closed';
  boot_id: string;
  end: number | null;
  /** The machine crashed earlier, and the crash is not handled yet. */
  crash_pending: boolean;
}

const NAME = 'stop.json';

/** The file that records whether the log is open or was closed, and on which boot of the machine. */
export class StopMarker {
  #crash_pending = false;

  private constructor(
    private readonly dir: string,
    private readonly disk: Disk,
    private readonly boot_id: string,
  ) {}

  static async open(dir: string, disk: Disk): Promise<{ marker: StopMarker; report: StopReport }> {
    const bootId = await currentBoot();
    const marker = new StopMarker(dir, disk, bootId);
    const before = await marker.#read();
    if (before === null) return { marker, report: { last_stop: 'first_start', same_boot: true, end: null } };
    const sameBoot = before.boot_id === bootId && bootId !== '';
    const lastStop = before.crash_pending || (before.state === 'running' && !sameBoot) ? 'machine_crashed' : unlessCrashed(before);
    return { marker, report: { last_stop: lastStop, same_boot: sameBoot, end: before.end } };
  }

  /** Records that the log is open. Until `crash_pending` is false, the next start also reports the crash of the machine. */
  async running(crash_pending: boolean): Promise<void> {
    this.#crash_pending = crash_pending;
    try {
      await this.#write({ state: 'running', boot_id: this.boot_id, end: null, crash_pending });
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'ENOSPC') throw fault;
      // A full disk must not prevent the log from opening. Without a marker the next start assumes the worst, which is safe.
      await rm(join(this.dir, NAME), { force: true });
      await this.disk.syncDirectory(this.dir);
    }
  }

  closed(end: number): Promise<void> {
    return this.#write({ state: 'closed', boot_id: this.boot_id, end, crash_pending: this.#crash_pending });
  }

  async #read(): Promise<Marker | null> {
    let text: string;
    try {
      text = await readFile(join(this.dir, NAME), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    try {
      return JSON.parse(text) as Marker;
    } catch {
      // The file is only ever replaced as a whole; one that does not parse was damaged, which is no clean stop.
      return { state: 'running', boot_id: '', end: null, crash_pending: true };
    }
  }

  async #write(marker: Marker): Promise<void> {
    const path = join(this.dir, NAME);
    const handle = await open(`${path}.new`, 'w', 0o600);
    try {
      await handle.writeFile(JSON.stringify(marker));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(`${path}.new`, path);
    await this.disk.syncDirectory(this.dir);
  }
}

function unlessCrashed(before: Marker): LastStop {
  return before.state === 'closed' ? 'clean' : 'killed';
}

/** Empty if the system does not report it: then every stop without a marker counts as a crash of the machine. */
export async function currentBoot(): Promise<string> {
  try {
    return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  } catch {
    return '';
  }
}
