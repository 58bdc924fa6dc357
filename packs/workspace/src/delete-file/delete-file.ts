import { link, readFile, rename, unlink } from 'node:fs/promises';
import { defineTool, type Reconciled, ToolError } from '@countersign/tool-kit';
import { z } from 'zod';
import { entryOf, inWorkspace, type Workspace } from '../confine.js';
import { digestOf } from '../file-text.js';
import type { Folder } from '../folder.js';
import { stage } from '../receipts.js';
import { codeOf, refused } from '../refusal.js';

const CONTENT = 'content';
const ENTRY = 'entry.json';
const RESTORED = 'restored';

const output = z.strictObject({ path: z.string(), size_bytes: z.int(), sha256: z.string().nullable(), trash_id: z.string() });
type Output = z.output<typeof output>;

/** Moves one file to the trash inside the workspace, from which an undo restores it. */
export const deleteFile = defineTool({
  name: 'delete_file',
  version: '1.2.1',
  title: 'Delete a file',
  description:
    'Deletes one file of the workspace. It waits for approval. The content is kept in .countersign-trash/deleted/<trash_id>/content; an undo of the call puts it back.',
  summary: 'Delete the file {/path}',
  category: 'workspace',
  effect_class: 'commit_high',
  reversibility: 'reversible',
  idempotency: { discriminating: ['path'] },
  resources: [{ name: 'file:{/path}', effect: 'replaces' }],
  input: z.strictObject({ path: z.string().describe('Path of the file, relative to the workspace.') }),
  output,
  run: ({ path }, ctx) =>
    inWorkspace(ctx, async (workspace) => {
      const place = await workspace.writablePlace(path, '/path', false);
      const { handle, stats } = await workspace.file(place);
      const result: Output = {
        path: place.path,
        size_bytes: stats.size,
        sha256: await digestOf(handle, stats.size, ctx),
        trash_id: ctx.idempotency_key,
      };
      const trash = await workspace.privateFolder('deleted', trashName(ctx.idempotency_key));
      await unlink(trash.at(RESTORED)).catch(() => undefined);
      await note(workspace, trash, ENTRY, result);
      await workspace.beforeChange(place);
      await rename(place.folder.at(place.name), trash.at(CONTENT));
      workspace.changed = true;
      await Promise.all([trash.sync(), place.folder.sync()]);
      return result;
    }),
  reconcile: (_input, ctx) =>
    inWorkspace(ctx, async (workspace): Promise<Reconciled<Output>> => {
      const trash = await workspace.existingPrivateFolder('deleted', trashName(ctx.idempotency_key));
      if (!trash || !(await entryOf(trash, ENTRY))) return { kind: 'did_not_happen' };
      const deleted = (await entryOf(trash, CONTENT)) ?? (await entryOf(trash, RESTORED));
      if (!deleted) return { kind: 'did_not_happen' };
      return { kind: 'happened', output: JSON.parse(await readFile(trash.at(ENTRY), 'utf8')) as Output };
    }),
  compensate: ({ idempotency_key, inputs: { path } }, ctx) =>
    inWorkspace(ctx, async (workspace) => {
      const trash = await workspace.existingPrivateFolder('deleted', trashName(idempotency_key));
      if (!trash) throw new ToolError('VALIDATION_ERROR', 'the trash holds no file of this call', { class: 'not_found', effect: 'none' });
      const place = await workspace.writablePlace(path, '/path', true);
      if (await entryOf(trash, RESTORED)) return { path: place.path, restored: true };
      await takeBack(workspace, trash, place.folder, place.name);
      return { path: place.path, restored: true };
    }),
});

/** Uses a link, which never replaces a file that was created there; repeated after an interruption it continues. */
async function takeBack(workspace: Workspace, trash: Folder, folder: Folder, name: string): Promise<void> {
  const content = await entryOf(trash, CONTENT);
  if (!content) throw new ToolError('VALIDATION_ERROR', 'the file is no longer in the trash', { class: 'not_found', effect: 'none' });
  try {
    await link(trash.at(CONTENT), folder.at(name));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    const there = await entryOf(folder, name);
    if (there?.ino !== content.ino) throw refused('/path', 'exists', 'another file has its path now');
  }
  workspace.changed = true;
  await folder.sync();
  await note(workspace, trash, RESTORED, {});
  await unlink(trash.at(CONTENT));
}

async function note(workspace: Workspace, folder: Folder, name: string, value: object): Promise<void> {
  const staged = await stage(workspace, Buffer.from(JSON.stringify(value)), 0o600);
  await rename(staged.folder.at(staged.name), folder.at(name));
  await folder.sync();
}

/** A trash entry for each attempt's key: a second deletion of a path never overwrites the content that the first one kept. */
function trashName(key: string): string {
  if (!/^[A-Za-z0-9_-]{2,128}$/.test(key))
    throw new ToolError('VALIDATION_ERROR', 'the idempotency key cannot name a folder', { effect: 'none' });
  return key;
}
