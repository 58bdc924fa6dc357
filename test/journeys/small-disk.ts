import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync, rmSync, statfsSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** A data directory that can be full. */
export interface SmallDisk {
  /** Environment of the process that uses it. */
  readonly env: Record<string, string>;
  /** Fills the disk except for this many bytes. */
  fill(left_bytes: number): void;
  /** Frees the space again. */
  free(): void;
  close(): void;
}

/** A separate file system in memory: only root can mount one. */
class MountedDisk implements SmallDisk {
  readonly env = {};

  constructor(private readonly dir: string) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m,mode=700', 'countersign-full-disk', dir], { stdio: 'ignore' });
  }

  fill(left_bytes: number): void {
    const { bavail, bsize } = statfsSync(this.dir);
    const file = openSync(this.ballast, 'a');
    const block = Buffer.alloc(bsize);
    for (let free = bavail * bsize; free - bsize >= left_bytes; free -= bsize) writeSync(file, block);
    fsyncSync(file);
    closeSync(file);
  }

  free(): void {
    rmSync(this.ballast);
  }

  close(): void {
    execFileSync('umount', [this.dir]);
  }

  private get ballast(): string {
    return path.join(this.dir, 'ballast');
  }
}

/** Makes the process's own `fs` report a full disk (tools/no-room). */
class ReportedDisk implements SmallDisk {
  private readonly marker: string;

  constructor(dir: string) {
    this.marker = `${dir}.no-room`;
  }

  get env(): Record<string, string> {
    const preloaded = pathToFileURL(path.resolve('test/dist/tools/no-room.js')).href;
    return { NODE_OPTIONS: `--import=${preloaded}`, COUNTERSIGN_TEST_NO_ROOM: this.marker };
  }

  fill(left_bytes: number): void {
    writeFileSync(this.marker, String(left_bytes));
  }

  free(): void {
    rmSync(this.marker);
  }

  close(): void {
    rmSync(this.marker, { force: true });
  }
}

/** On an empty directory: a real small disk if this user can mount one, else a simulated one. */
export function smallDisk(dir: string, { reported = false } = {}): SmallDisk {
  try {
    if (!reported) return new MountedDisk(dir);
  } catch {
    // Not root, or no tmpfs here.
  }
  process.stdout.write('full disk: nothing is mounted, the platform is told by its own fs\n');
  return new ReportedDisk(dir);
}
