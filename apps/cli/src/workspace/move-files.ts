import { lstat, mkdir, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { tenantFolderName } from '@countersign/tool-kit/tenant-folders/folder-name';
import {
  createLayout,
  type FolderLayout,
  filesIn,
  MOVING_FOLDER,
  readLayout,
  replaceLayout,
} from '@countersign/tool-kit/tenant-folders/layout';
import { syncFolder } from '@countersign/tool-kit/tenant-folders/own-folder';

/** The options of the command. */
export interface Move {
  root: string;
  /** Undefined: the tenant that the layout names. */
  tenant_id: string | undefined;
  /** Moves the files of one tenant to another tenant. */
  reassign: boolean;
  /** Resolves when no earlier call can still be running. */
  drained: () => Promise<void>;
}

/** Result of a move: the folder with the files, or why the move stopped. */
export type Moved = { folder: string } | { fault: string };

/**
 * Moves the entries of a workspace's root into the folder of one tenant, and records that each tenant has its own folder from then on. An
 * interrupted move can be run again and continues. Steps: set the layout to `moving`, so that every executor refuses all calls; rename
 * each entry into a collecting folder; rename that folder to its final name; set the layout to `by_tenant`. Nothing is copied, replaced or
 * deleted. Requires the move lock.
 */
export async function moveFiles(move: Move): Promise<Moved> {
  const { root } = move;
  const layout = await readLayout(root);
  if (layout?.layout === 'by_tenant') return { fault: `${root} already has a folder per tenant: there is nothing to move` };
  const owner = ownerOf(layout, move);
  if ('fault' in owner) return owner;
  const { tenant_id } = owner;
  if (layout?.layout !== 'moving') {
    const begun: FolderLayout = { layout: 'moving', tenant_id, collected: false };
    if (layout) await replaceLayout(root, begun);
    else if (!(await createLayout(root, begun)))
      return { fault: `${root} received a layout record while this command ran: run the command again` };
  }
  if (layout?.layout !== 'moving' || !layout.collected) {
    await move.drained();
    const fault = await collect(root);
    if (fault !== undefined) return { fault };
    await replaceLayout(root, { layout: 'moving', tenant_id, collected: true });
  }
  return place(root, tenant_id);
}

/** Records that all tenants share the files of a workspace; moves nothing. Requires the move lock. */
export async function shareFiles(root: string): Promise<Moved> {
  const layout = await readLayout(root);
  if (layout?.layout === 'by_tenant' || layout?.layout === 'moving')
    return {
      fault: `${root} is ${layout.layout === 'moving' ? 'being moved' : 'laid out by tenant'}: to share files, use another root for the workspace`,
    };
  if (layout) await replaceLayout(root, { layout: 'shared' });
  else if (!(await createLayout(root, { layout: 'shared' })))
    return { fault: `${root} received a layout record while this command ran: run the command again` };
  return { folder: root };
}

function ownerOf(layout: FolderLayout | undefined, { root, tenant_id, reassign }: Move): { tenant_id: string } | { fault: string } {
  const recorded = layout && 'tenant_id' in layout ? layout.tenant_id : undefined;
  const wanted = tenant_id ?? recorded;
  if (wanted === undefined) return { fault: `the owner of the files in ${root} is not recorded: give --tenant <id>` };
  if (recorded === undefined || recorded === wanted) return { tenant_id: wanted };
  if (layout?.layout === 'moving') return { fault: `${root} is being moved to tenant ${recorded}: give --tenant ${recorded}` };
  return reassign
    ? { tenant_id: wanted }
    : { fault: `the files in ${root} are tenant ${recorded}'s: give --tenant ${recorded}, or add --reassign` };
}

/** Renames all entries of the root into the collecting folder, until no new ones appear. */
async function collect(root: string): Promise<string | undefined> {
  const staging = path.join(root, MOVING_FOLDER);
  // The folder becomes the tenant's root: it gets the permissions of the old root.
  await mkdir(staging, { mode: (await stat(root)).mode & 0o777 }).catch(unless('EEXIST'));
  for (let names = await filesIn(root); names.length > 0; names = await filesIn(root)) {
    for (const name of names) {
      const [from, to] = [below(root, name), below(staging, name)];
      if (await isThere(to))
        return `${from} and ${to} both exist: stop every executor, move one of them elsewhere and run the command again`;
      const fault = await rename(from, to).then(
        () => undefined,
        (error: Error) => error,
      );
      if (fault) return `${from} cannot be moved (${fault.message}): unmount it first if it is a mount point, then run the command again`;
    }
  }
  await syncFolder(staging);
  await syncFolder(root);
  return undefined;
}

async function place(root: string, tenant_id: string): Promise<Moved> {
  const [staging, folder] = [path.join(root, MOVING_FOLDER), path.join(root, tenantFolderName(tenant_id))];
  if (await isThere(staging)) {
    if (await isThere(folder))
      return { fault: `${folder} and ${staging} both exist: move one of them elsewhere and run the command again` };
    await rename(staging, folder);
    await syncFolder(root);
  }
  if (!(await isThere(folder))) return { fault: `neither ${staging} nor ${folder} exists: restore one from a backup` };
  await replaceLayout(root, { layout: 'by_tenant', moved: { tenant_id, at_ms: Date.now() } });
  return { folder };
}

/** Not every file name is UTF-8, so paths are bytes. */
function below(folder: string, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${folder}${path.sep}`), name]);
}

async function isThere(file: string | Buffer): Promise<boolean> {
  return lstat(file)
    .then(() => true, unless('ENOENT'))
    .then((there) => there === true);
}

function unless(code: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== code) throw error;
    return undefined;
  };
}
