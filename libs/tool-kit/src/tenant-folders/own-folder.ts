import { lstat, mkdir, open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolError } from '../tool-error.js';
import { tenantFolderName } from './folder-name.js';

/** Other users of the machine cannot read a tenant's files unless the operator allows it. */
const FOLDER_MODE = 0o700;

/**
 * The real path of a tenant's own folder in `root`, created if missing.
 * @throws ToolError if something other than a folder has its name: a link could lead into another tenant's folder.
 */
export async function ownFolder(root: string, tenant_id: string): Promise<string> {
  const real_root = await madeRoot(root);
  const folder = join(real_root, tenantFolderName(tenant_id));
  if (!(await isThere(folder))) {
    await mkdir(folder, { mode: FOLDER_MODE }).catch((error) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    await syncFolder(real_root);
  }
  if ((await lstat(folder)).isDirectory()) return folder;
  throw new ToolError('PROVIDER_ERROR', 'the folder of this tenant is a link or a file: an operator must replace it with a folder', {
    class: 'authorization',
    details: { reason: 'not_a_folder' },
    effect: 'none',
  });
}

/** The real path of a folder, created if missing. */
export async function madeRoot(root: string): Promise<string> {
  try {
    return await realpath(root);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    await mkdir(root, { recursive: true });
    return realpath(root);
  }
}

/** Makes the entries of a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

export function codeOf(error: unknown): string | undefined {
  return (error as { code?: string } | null)?.code;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
