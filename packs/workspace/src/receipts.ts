import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { ToolError } from '@countersign/tool-kit';
import { entryOf, type Workspace } from './confine.js';
import type { Folder } from './folder.js';
import { codeOf } from './refusal.js';

const KEPT_DAYS = 90;
/** Without its receipt an effect cannot be undone. */
export const UNDO_WITHIN_MS = KEPT_DAYS * 86_400_000;
const KEY = /^[A-Za-z0-9_-]{2,128}$/;

/** A new file, written and synced in the staging folder, ready to be renamed or linked to its place. */
export interface Staged {
  folder: Folder;
  name: string;
}

/** A unique name. */
function freshName(): string {
  return randomBytes(12).toString('hex');
}

/** Writes bytes to a staged file and syncs it. It becomes visible only by a rename or link to its place. */
export async function stage(workspace: Workspace, bytes: Uint8Array, mode: number): Promise<Staged> {
  const folder = await workspace.privateFolder('staging');
  await dropOld(folder);
  const name = freshName();
  const handle = await open(folder.at(name), constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.chmod(mode);
    await handle.sync();
  } catch (error) {
    await unlink(folder.at(name)).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
  return { folder, name };
}

/**
 * Written and synced before a change: with it, a later check can tell whether the change happened. Receipts are in 256 folders by key; a
 * write also deletes receipts older than 90 days from its folder.
 */
export async function writeReceipt(workspace: Workspace, receipt: object): Promise<void> {
  const { shard, file } = namesFor(workspace.ctx.idempotency_key);
  const folder = await workspace.privateFolder('receipts', shard);
  await dropOld(folder);
  const staged = await stage(workspace, Buffer.from(JSON.stringify(receipt)), 0o600);
  await rename(staged.folder.at(staged.name), folder.at(file));
  await folder.sync();
}

/** The receipt of this call's key or of the given key, as written. */
export async function readReceipt<R>(workspace: Workspace, key = workspace.ctx.idempotency_key): Promise<R | undefined> {
  const { shard, file } = namesFor(key);
  const folder = await workspace.existingPrivateFolder('receipts', shard);
  if (!folder || !(await entryOf(folder, file))) return undefined;
  return JSON.parse(await readFile(folder.at(file), 'utf8')) as R;
}

/** For a change that was refused: removes the receipt first, so that a receipt without its staged file means "happened". */
export async function withdraw(workspace: Workspace, staged?: Staged): Promise<void> {
  const { shard, file } = namesFor(workspace.ctx.idempotency_key);
  const folder = await workspace.privateFolder('receipts', shard);
  await unlink(folder.at(file)).catch(ignoreMissing);
  await folder.sync();
  if (staged) await unlink(staged.folder.at(staged.name)).catch(ignoreMissing);
}

function namesFor(key: string): { shard: string; file: string } {
  if (!KEY.test(key)) throw new ToolError('VALIDATION_ERROR', 'the idempotency key cannot name a file', { effect: 'none' });
  return { shard: key.slice(0, 2).toLowerCase(), file: `${key}.json` };
}

async function dropOld(folder: Folder): Promise<void> {
  const oldest_ms = Date.now() - KEPT_DAYS * 86_400_000;
  for (const name of await readdir(folder.at())) {
    const entry = await entryOf(folder, name);
    if (entry && entry.mtimeMs < oldest_ms) await unlink(folder.at(name)).catch(ignoreMissing);
  }
}

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}
