import { mkdir } from 'node:fs/promises';
import { DirectoryLock } from './directory-lock.js';
import type { EmbeddedSettings } from './embedded-options.js';
import { StopMarker, type StopReport } from './stop-marker.js';

/** The directory of a log, locked by this process, and the report about the previous stop. */
export class LogDirectory {
  private constructor(
    private readonly lock: DirectoryLock,
    private readonly marker: StopMarker,
    readonly report: StopReport,
  ) {}

  /** @throws DirectoryLocked if another process has it open */
  static async open({ dir, disk }: EmbeddedSettings): Promise<LogDirectory> {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const lock = await DirectoryLock.acquire(dir);
    try {
      const { marker, report } = await StopMarker.open(dir, disk);
      return new LogDirectory(lock, marker, report);
    } catch (cause) {
      await lock.release();
      throw cause;
    }
  }

  /** Records that the log is open. `fresh`: it has no segments. */
  async running(fresh: boolean): Promise<void> {
    // Segments without a marker: it was deleted, so nothing is known about the last stop.
    if (!fresh && this.report.last_stop === 'first_start') this.report.last_stop = 'machine_crashed';
    await this.marker.running(this.report.last_stop === 'machine_crashed');
  }

  /** Records that the consequences of a machine crash were handled. */
  crashHandled(): Promise<void> {
    return this.marker.running(false);
  }

  /** Marks the stop as clean; the journal ends at `end`. */
  closed(end: number): Promise<void> {
    return this.marker.closed(end);
  }

  release(): Promise<void> {
    return this.lock.release();
  }
}
