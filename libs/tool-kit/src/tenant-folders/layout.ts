import { randomUUID } from 'node:crypto';
import { link, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, syncFolder } from './own-folder.js';

/** Records the layout of a folder. No tool reads or writes names that begin with `.countersign`. */
export const LAYOUT_FILE = '.countersign-layout.json';
/** The folder in which `countersign move-workspace` collects the moved files. */
export const MOVING_FOLDER = '.countersign-moving';
/** Held by the one running `countersign move-workspace`. */
export const MOVE_LOCK = '.countersign-move.lock';

/** Which tenant owns the files in a folder setting, and where they are. */
export type FolderLayout =
  /** Each tenant has its own folder in it. This never changes again. `moved`: earlier files belong to this tenant since then. */
  | { layout: 'by_tenant'; moved?: { tenant_id: string; at_ms: number } }
  /** The files are directly in it, and belong to this tenant alone. */
  | { layout: 'one_tenant'; tenant_id: string }
  /** The files are directly in it, and the operator allows all tenants to use them. */
  | { layout: 'shared' }
  /** The files are being moved to this tenant's folder; `collected`: all of them have left the root. */
  | { layout: 'moving'; tenant_id: string; collected: boolean };

/** Names that are no files of a tenant: the platform's own, and those that operating systems create in every volume. */
const OURS: ReadonlySet<string> = new Set([LAYOUT_FILE, MOVING_FOLDER, MOVE_LOCK]);
const OF_THE_SYSTEM: ReadonlySet<string> = new Set(['lost+found', '.DS_Store', '$RECYCLE.BIN', 'System Volume Information']);

/** The record of the layout cannot be read: the owner of the files is unknown. */
export class LayoutDamaged extends Error {}

/** Names of the files and folders in a root that belong to a tenant. Bytes, as not every name is UTF-8. */
export async function filesIn(root: string): Promise<Buffer[]> {
  const names = await readdir(root, { encoding: 'buffer' }).catch((error) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => !isOurs(name.toString('utf8')));
}

function isOurs(name: string): boolean {
  const is_draft = name.startsWith(`${LAYOUT_FILE}.`) || name.startsWith(`${MOVE_LOCK}.`);
  return is_draft || OURS.has(name) || OF_THE_SYSTEM.has(name);
}

/** The recorded layout; undefined if none is recorded. @throws LayoutDamaged */
export async function readLayout(root: string): Promise<FolderLayout | undefined> {
  let text: string;
  try {
    text = await readFile(join(root, LAYOUT_FILE), 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const layout = parsed(text);
  if (layout) return layout;
  throw new LayoutDamaged(
    `${join(root, LAYOUT_FILE)} is damaged: restore it from a backup, or write the layout again (docs/decisions/0018)`,
  );
}

/** Records and syncs the layout of a folder that has none. @returns false if another process was first; its record stays. */
export async function createLayout(root: string, layout: FolderLayout): Promise<boolean> {
  const draft = await drafted(root, layout);
  try {
    // A link never replaces an existing file.
    await link(draft, join(root, LAYOUT_FILE));
    await syncFolder(root);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(draft);
  }
}

/** Replaces and syncs the recorded layout. Only for the holder of the move lock. */
export async function replaceLayout(root: string, layout: FolderLayout): Promise<void> {
  await rename(await drafted(root, layout), join(root, LAYOUT_FILE));
  await syncFolder(root);
}

async function drafted(root: string, layout: FolderLayout): Promise<string> {
  const draft = join(root, `${LAYOUT_FILE}.${randomUUID()}`);
  const handle = await open(draft, 'wx', 0o644);
  try {
    await handle.writeFile(`${JSON.stringify(layout)}\n`);
    await handle.sync();
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
  return draft;
}

function parsed(text: string): FolderLayout | undefined {
  try {
    const { layout, tenant_id, collected, moved } = JSON.parse(text) as Record<string, unknown>;
    if (layout === 'shared') return { layout };
    if (layout === 'by_tenant') return byTenant(moved);
    if (typeof tenant_id !== 'string' || tenant_id === '') return undefined;
    if (layout === 'one_tenant') return { layout, tenant_id };
    return layout === 'moving' && typeof collected === 'boolean' ? { layout, tenant_id, collected } : undefined;
  } catch {
    return undefined;
  }
}

function byTenant(moved: unknown): FolderLayout | undefined {
  if (moved === undefined) return { layout: 'by_tenant' };
  const { tenant_id, at_ms } = moved as Record<string, unknown>;
  const is_whole = typeof tenant_id === 'string' && typeof at_ms === 'number';
  return is_whole ? { layout: 'by_tenant', moved: { tenant_id, at_ms } } : undefined;
}
