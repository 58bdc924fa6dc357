import { constants, type Stats } from 'node:fs';
import { type FileHandle, link, open, rename, unlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, type Reconciled, ToolError } from '@countersign/tool-kit';
import { z } from 'zod';
import { checkRegular, entryOf, inWorkspace, type Place, type Workspace } from '../confine.js';
import { readBytes, sha256Of } from '../file-text.js';
import { readReceipt, stage, withdraw, writeReceipt } from '../receipts.js';
import { codeOf, conflict, refused } from '../refusal.js';

const CONTENT_BYTES_MAX = 4 * 1024 * 1024;
const NEW_FILE_MODE = 0o644;
/** How often a write retries if others create, move or delete the same file, and the pause before each retry. */
const TRIES = 8;
const PAUSE_MS = 10;

const input = z.strictObject({
  path: z.string().describe('Path of the file, relative to the workspace. Missing folders are made.'),
  content: z.string().max(CONTENT_BYTES_MAX),
  mode: z
    .enum(['create', 'overwrite', 'append'])
    .default('create')
    .describe('create refuses an existing file; overwrite and append make a missing one.'),
});
const output = z.strictObject({
  path: z.string(),
  mode: z.enum(['create', 'overwrite', 'append']),
  created: z.boolean(),
  bytes_written: z.int(),
  /** Of the content written. */
  sha256: z.string(),
});
type Output = z.output<typeof output>;
type Mode = Output['mode'];
/** Shows afterwards whether the write happened: a staged file that was moved, or the bytes after the old end of a file. */
type WriteReceipt = { staged: string; output: Output } | { inode: number; size_before: number; output: Output };

/** Writes a text file. Readers see the old content or the new, never a part; an append goes after the current end. */
export const writeFile = defineTool({
  name: 'write_file',
  version: '1.2.1',
  title: 'Write a file',
  description:
    'Writes text to a file of the workspace: creates it, overwrites it whole, or appends to it. The same write again, while its effect stands, needs another occurrence. It cannot be undone: what an overwrite replaces is not kept.',
  summary: 'Write {/path} ({/mode}, {bytes of /content} bytes)',
  category: 'workspace',
  effect_class: 'commit_low',
  reversibility: 'irreversible',
  idempotency: { discriminating: ['path', 'content', 'mode'] },
  resources: [{ name: 'file:{/path}', effect: { by: '/mode', values: { append: 'adds' }, otherwise: 'replaces' } }],
  input,
  output,
  run: (input, ctx) =>
    inWorkspace(ctx, async (workspace) => {
      const bytes = Buffer.from(input.content, 'utf8');
      if (bytes.length > CONTENT_BYTES_MAX) throw refused('/content', 'too_large', `the content is larger than ${CONTENT_BYTES_MAX} bytes`);
      const place = await workspace.writablePlace(input.path, '/path', true);
      for (let left = TRIES; left > 0; left--) {
        const result = await tryWrite(workspace, place, bytes, input.mode);
        if (result !== 'changed_meanwhile') return result;
        await sleep(PAUSE_MS);
      }
      throw conflict('/path', `${JSON.stringify(place.path)} is being created, moved or deleted at the same time: try again`);
    }),
  reconcile: (input, ctx) =>
    inWorkspace(ctx, async (workspace): Promise<Reconciled<Output>> => {
      const receipt = await readReceipt<WriteReceipt>(workspace);
      if (!receipt) return { kind: 'did_not_happen' };
      if ('staged' in receipt) return whetherPlaced(workspace, receipt);
      return whetherAppended(workspace, await workspace.place(input.path), input.content, receipt);
    }),
});

/** One try: the write that fits the current state of the place; `changed_meanwhile` if others changed that in between. */
async function tryWrite(workspace: Workspace, place: Place, bytes: Buffer, mode: Mode): Promise<Output | 'changed_meanwhile'> {
  const existing = await entryOf(place.folder, place.name);
  if (existing && mode === 'create') throw refused('/mode', 'exists', `${JSON.stringify(place.path)} exists already`);
  if (existing) checkRegular(existing, place);
  const result: Output = { path: place.path, mode, created: !existing, bytes_written: bytes.length, sha256: sha256Of(bytes) };
  const written =
    existing && mode === 'append'
      ? await append(workspace, place, bytes, result)
      : await replace(workspace, place, bytes, result, existing ? existing.mode & 0o777 : undefined);
  return written ? result : 'changed_meanwhile';
}

/**
 * Puts a staged file in place: by rename over an existing one, by link (which does not replace) for a new one.
 * @returns false, with nothing changed, if a new file exists already
 */
async function replace(workspace: Workspace, place: Place, bytes: Buffer, result: Output, mode: number | undefined): Promise<boolean> {
  const staged = await stage(workspace, bytes, mode ?? NEW_FILE_MODE);
  await writeReceipt(workspace, { staged: staged.name, output: result } satisfies WriteReceipt);
  try {
    await workspace.beforeChange(place);
    if (mode !== undefined) await rename(staged.folder.at(staged.name), place.folder.at(place.name));
    else await link(staged.folder.at(staged.name), place.folder.at(place.name));
  } catch (error) {
    await withdraw(workspace, staged);
    if (codeOf(error) !== 'EEXIST') throw error;
    if (result.mode !== 'create') return false;
    throw refused('/path', 'exists', `${JSON.stringify(place.path)} was created at the same time`);
  }
  workspace.changed = true;
  await place.folder.sync();
  if (mode === undefined) await unlink(staged.folder.at(staged.name));
  return true;
}

/**
 * One write at the current end of the file: appends of others are never lost.
 * @returns false, with nothing changed, if the file was deleted
 */
async function append(workspace: Workspace, place: Place, bytes: Buffer, result: Output): Promise<boolean> {
  const handle = await openForAppend(workspace, place);
  if (!handle) return false;
  const stats = await withOneName(handle);
  if (!stats) return false;
  await writeReceipt(workspace, { inode: stats.ino, size_before: stats.size, output: result } satisfies WriteReceipt);
  await workspace.beforeChange(place);
  workspace.changed = true;
  const { bytesWritten } = await handle.write(bytes);
  if (bytesWritten < bytes.length) throw await takenBack(workspace, handle, stats.size, { written: bytesWritten, wanted: bytes.length });
  await handle.sync();
  return true;
}

async function openForAppend(workspace: Workspace, place: Place): Promise<FileHandle | undefined> {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    return workspace.keep(await open(place.folder.at(place.name), flags));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The file, which must have exactly one name: another name may be outside the workspace, where an append would be visible. A file that is
 * being created or moved has two for a moment. Undefined if it has no name any more.
 */
async function withOneName(handle: FileHandle): Promise<Stats | undefined> {
  for (let left = TRIES; ; left--) {
    const stats = await handle.stat();
    if (!stats.isFile()) throw refused('/path', 'not_a_file', 'it is not a regular file');
    if (stats.nlink <= 1) return stats.nlink === 1 ? stats : undefined;
    if (left === 0) throw refused('/path', 'hard_link', 'the file has another hard link, which would change too');
    await sleep(PAUSE_MS);
  }
}

/** Handles a partial append (the disk is full): the file is truncated again, unless another process appended after it. */
async function takenBack(
  workspace: Workspace,
  handle: FileHandle,
  size_before: number,
  { written, wanted }: { written: number; wanted: number },
): Promise<ToolError> {
  const message = `only ${written} of ${wanted} bytes could be appended`;
  if ((await handle.stat()).size !== size_before + written) return new ToolError('PROVIDER_ERROR', message, { effect: 'unknown' });
  await handle.truncate(size_before);
  await handle.sync();
  workspace.changed = false;
  return new ToolError('PROVIDER_ERROR', `the file system is full: ${message}, which were removed again`, {
    effect: 'none',
    retryable: true,
  });
}

/** Only the change removes a staged file or gives it a second name. */
async function whetherPlaced(workspace: Workspace, receipt: { staged: string; output: Output }): Promise<Reconciled<Output>> {
  const staging = await workspace.existingPrivateFolder('staging');
  const staged = staging && (await entryOf(staging, receipt.staged));
  return !staged || staged.nlink > 1 ? { kind: 'happened', output: receipt.output } : { kind: 'did_not_happen' };
}

async function whetherAppended(
  workspace: Workspace,
  place: Place,
  content: string,
  receipt: { inode: number; size_before: number; output: Output },
): Promise<Reconciled<Output>> {
  if (!(await entryOf(place.folder, place.name))) return { kind: 'cannot_tell', why: 'the file does not exist any longer' };
  const { handle, stats } = await workspace.file(place);
  if (stats.ino !== receipt.inode) return { kind: 'cannot_tell', why: 'the file was replaced after the run' };
  if (stats.size === receipt.size_before) return { kind: 'did_not_happen' };
  const bytes = Buffer.from(content, 'utf8');
  const behind = await readBytes(handle, receipt.size_before, bytes.length);
  if (behind.equals(bytes)) return { kind: 'happened', output: receipt.output };
  const partial = behind.length < bytes.length && behind.equals(bytes.subarray(0, behind.length));
  return { kind: 'cannot_tell', why: partial ? 'only part of the content was appended' : 'the file was appended to after the run' };
}
