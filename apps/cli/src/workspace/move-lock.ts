import { randomUUID } from 'node:crypto';
import { link, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { MOVE_LOCK } from '@countersign/tool-kit/tenant-folders/layout';

/** The holder of the lock. */
interface Holder {
  host: string;
  pid: number;
  /** Unique for each lock. */
  nonce: string;
}

/**
 * Runs `work` while no other `countersign move-workspace` runs in this root. Takes over the lock of an ended process on this machine. If
 * another process holds it, returns that holder.
 */
export async function withMoveLock<T>(root: string, work: () => Promise<T>): Promise<{ done: T } | { held_by: string }> {
  const file = path.join(root, MOVE_LOCK);
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify({ host: hostname(), pid: process.pid, nonce: randomUUID() } satisfies Holder), { flag: 'wx' });
  if (!(await linked(draft, file)) && !(await takenOver(draft, file))) {
    await unlink(draft);
    const holder = await holderOf(file);
    return { held_by: holder ? `process ${holder.pid} on ${holder.host}, ${file}` : file };
  }
  await unlink(draft).catch(() => undefined); // a lock that was taken over is the draft itself
  try {
    return { done: await work() };
  } finally {
    await unlink(file);
  }
}

/** If several processes find the same dead holder, one of them gets the link, and checks again that it is that holder's lock. */
async function takenOver(draft: string, file: string): Promise<boolean> {
  const holder = await holderOf(file);
  if (!holder || holder.host !== hostname() || isAlive(holder.pid)) return false;
  const claim = `${file}.${holder.nonce}`;
  if (!(await linked(file, claim))) return false;
  try {
    if ((await holderOf(claim))?.nonce !== holder.nonce) return false;
    await rename(draft, file);
    return true;
  } finally {
    await unlink(claim);
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (['EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

async function holderOf(file: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
