import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';

const OTHERS = 0o077;

/** The folder of the database in PGlite's internal file system. */
interface Mounted {
  node: { node_ops: { mknod(parent: unknown, name: string, mode: number, device: number): unknown } };
}
const MOUNTED_AT = '/pglite/data';

/**
 * Database files have mode 0600 and folders 0700, whatever the umask of the process: PGlite unpacks its snapshot with 0666 and 0777, and
 * its C library creates some files with 0644.
 */
export function keepPrivate(db: PGlite, dir: string): void {
  const { node } = (db.Module as unknown as { FS: { lookupPath(path: string): Mounted } }).FS.lookupPath(MOUNTED_AT);
  const { mknod } = node.node_ops;
  // All folders and files of the mount share this object.
  node.node_ops.mknod = (parent, name, mode, device) => mknod(parent, name, mode & ~OTHERS, device);
  closeFolder(dir);
}

function closeFolder(dir: string): void {
  for (const name of readdirSync(dir)) {
    const place = join(dir, name);
    const stats = lstatSync(place);
    if (stats.isDirectory()) closeFolder(place);
    if ((stats.mode & OTHERS) !== 0 && !stats.isSymbolicLink()) chmodSync(place, stats.mode & 0o700);
  }
}
