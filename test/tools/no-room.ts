// Preloaded into a process (`node --import`): while the file that COUNTERSIGN_TEST_NO_ROOM names is there, the process's files grow by
// as many bytes as stand in it, then every write that would grow one ends with ENOSPC. What a full disk does, where nobody may mount one.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { statSync, fstatSync, readFileSync } = fs;
const marker = process.env.COUNTERSIGN_TEST_NO_ROOM ?? '';
/** A file takes whole blocks of the disk. */
const BLOCK_BYTES = 4096;
const taken = (bytes: number) => Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
const room = { since: 0, left: Number.POSITIVE_INFINITY };

interface Piece {
  length: number;
  /** Null: where the file's own position is; taken as its end. */
  position: number | null;
}

function look(): void {
  const since = statSync(marker, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (since === room.since) return;
  room.since = since;
  room.left = since === 0 ? Number.POSITIVE_INFINITY : Number(readFileSync(marker, 'utf8'));
}

/** @throws ENOSPC where the file would grow by more than there is */
function take(fd: number, { length, position }: Piece): void {
  look();
  if (room.left === Number.POSITIVE_INFINITY) return;
  const stat = fstatSync(fd);
  if (!stat.isFile()) return;
  const growth = Math.max(0, taken((position ?? stat.size) + length) - taken(stat.size));
  if (growth > room.left)
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', errno: -28, syscall: 'write' });
  room.left -= growth;
}

/** What `write(fd, data, offset, length, position)` asks for. */
function pieceOf([data, offset, length, position]: readonly unknown[]): Piece {
  if (typeof data === 'string') return { length: Buffer.byteLength(data), position: typeof offset === 'number' ? offset : null };
  const all = (data as ArrayBufferView).byteLength;
  return {
    length: typeof length === 'number' ? length : all - (typeof offset === 'number' ? offset : 0),
    position: typeof position === 'number' ? position : null,
  };
}

const { write, writeSync } = fs;
const handle = await fs.promises.open(process.execPath, 'r');
const handles = Object.getPrototypeOf(handle) as Record<string, (...args: unknown[]) => Promise<unknown>>;
await handle.close();

Object.assign(fs, {
  write(fd: number, ...args: unknown[]) {
    try {
      take(fd, pieceOf(args));
    } catch (fault) {
      setImmediate(args.at(-1) as (fault: unknown) => void, fault);
      return;
    }
    (write as (...all: unknown[]) => void)(fd, ...args);
  },
  writeSync(fd: number, ...args: unknown[]) {
    take(fd, pieceOf(args));
    return (writeSync as (...all: unknown[]) => number)(fd, ...args);
  },
});
for (const name of ['write', 'appendFile', 'writeFile']) {
  const real = handles[name] as (...args: unknown[]) => Promise<unknown>;
  handles[name] = async function (this: { fd: number }, ...args: unknown[]) {
    take(this.fd, pieceOf(args));
    return real.apply(this, args);
  };
}
syncBuiltinESMExports();
