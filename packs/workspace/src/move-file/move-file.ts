import { link, unlink } from 'node:fs/promises';
import { defineTool, type Reconciled } from '@countersign/tool-kit';
import { z } from 'zod';
import { entryOf, inWorkspace, type Place, type Workspace } from '../confine.js';
import { readReceipt, UNDO_WITHIN_MS, withdraw, writeReceipt } from '../receipts.js';
import { codeOf, conflict, refused } from '../refusal.js';

const output = z.strictObject({ source: z.string(), destination: z.string(), size_bytes: z.int() });
type Output = z.output<typeof output>;
interface MoveReceipt {
  inode: number;
  output: Output;
}

/** Moves one file; an existing destination is never replaced. */
export const moveFile = defineTool({
  name: 'move_file',
  version: '1.1.1',
  title: 'Move a file',
  description: 'Moves or renames one file inside the workspace. Missing folders are made; an existing destination is refused.',
  summary: 'Move the file {/source} to {/destination}',
  category: 'workspace',
  effect_class: 'commit_low',
  reversibility: 'reversible',
  undo_within_ms: UNDO_WITHIN_MS,
  idempotency: { discriminating: ['source', 'destination'] },
  resources: [
    { name: 'file:{/source}', effect: 'replaces' },
    { name: 'file:{/destination}', effect: 'replaces' },
  ],
  input: z.strictObject({ source: z.string(), destination: z.string() }),
  output,
  run: (input, ctx) =>
    inWorkspace(ctx, async (workspace) => {
      const source = await workspace.writablePlace(input.source, '/source', false);
      const stats = await workspace.regular(source);
      const destination = await workspace.writablePlace(input.destination, '/destination', true);
      const result: Output = { source: source.path, destination: destination.path, size_bytes: stats.size };
      const there = await entryOf(destination.folder, destination.name);
      const begun = await readReceipt<MoveReceipt>(workspace);
      const halfMoved = there !== undefined && begun?.inode === stats.ino && there.ino === stats.ino && source.path !== destination.path;
      if (there && !halfMoved) throw refused('/destination', 'exists', `${JSON.stringify(destination.path)} exists already`);
      await writeReceipt(workspace, { inode: stats.ino, output: result } satisfies MoveReceipt);
      if (!halfMoved) await give(workspace, source, destination);
      workspace.changed = true;
      await destination.folder.sync();
      await takeOldName(workspace, source, destination, stats.ino);
      await source.folder.sync();
      return result;
    }),
  reconcile: (input, ctx) =>
    inWorkspace(ctx, async (workspace): Promise<Reconciled<Output>> => {
      const receipt = await readReceipt<MoveReceipt>(workspace);
      if (!receipt) return { kind: 'did_not_happen' };
      const atSource = await inodeAt(workspace, input.source, '/source');
      const atDestination = await inodeAt(workspace, input.destination, '/destination');
      // Still at its old name: not begun, or interrupted between the two steps, which a second run completes.
      if (atSource === receipt.inode) return { kind: 'did_not_happen' };
      if (atDestination === receipt.inode) return { kind: 'happened', output: receipt.output };
      return { kind: 'cannot_tell', why: 'the file is no longer at the source or the destination' };
    }),
  compensate: ({ idempotency_key, inputs: input }, ctx) =>
    inWorkspace(ctx, async (workspace) => {
      const receipt = await readReceipt<MoveReceipt>(workspace, idempotency_key);
      const from = await workspace.writablePlace(input.destination, '/destination', false);
      const to = await workspace.writablePlace(input.source, '/source', true);
      const back = await entryOf(to.folder, to.name);
      if (!receipt || back?.ino !== receipt.inode) {
        const moved = await workspace.regular(from);
        if (moved.ino !== receipt?.inode)
          throw refused('/destination', 'replaced', 'the file at the destination is not the one that was moved');
        await give(workspace, from, to, false);
      }
      workspace.changed = true;
      await to.folder.sync();
      if ((await entryOf(from.folder, from.name))?.ino === receipt?.inode) await unlink(from.folder.at(from.name));
      return { source: from.path, destination: to.path };
    }),
});

/** Gives the file its second name; unlike a rename, a link never replaces an existing file. */
async function give(workspace: Workspace, from: Place, to: Place, withdraws = true): Promise<void> {
  try {
    await workspace.beforeChange(from, to);
    await link(from.folder.at(from.name), to.folder.at(to.name));
  } catch (error) {
    if (withdraws) await withdraw(workspace);
    if (codeOf(error) === 'EEXIST') throw refused(to.pointer, 'exists', `${JSON.stringify(to.path)} exists already`);
    throw error;
  }
}

/** Removes the old name of the file. If the file was moved or replaced at the same time, its new name is removed instead. */
async function takeOldName(workspace: Workspace, source: Place, destination: Place, inode: number): Promise<void> {
  if ((await entryOf(source.folder, source.name))?.ino === inode && (await unlinked(source))) return;
  if ((await entryOf(destination.folder, destination.name))?.ino === inode) await unlinked(destination);
  await destination.folder.sync();
  await withdraw(workspace);
  workspace.changed = false;
  throw conflict('/source', `${JSON.stringify(source.path)} was moved, replaced or deleted at the same time`);
}

async function unlinked(place: Place): Promise<boolean> {
  try {
    await unlink(place.folder.at(place.name));
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function inodeAt(workspace: Workspace, path: string, pointer: string): Promise<number | undefined> {
  try {
    const place = await workspace.place(path, pointer);
    return (await entryOf(place.folder, place.name))?.ino;
  } catch {
    return undefined;
  }
}
