import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { type RunContext, ToolError } from '@countersign/tool-kit';
import type { OpenSearch } from '@countersign/tool-kit/pattern-search/pattern-search';
import { Folder, linkRefused } from './folder.js';
import { asToolError, codeOf, notFound, refused } from './refusal.js';
import { namesOf, PRIVATE_FOLDER, writableNamesOf } from './workspace-path.js';

export const ROOT_SETTING = 'COUNTERSIGN_WORKSPACE_ROOT';
export const SHARING_SETTING = 'COUNTERSIGN_WORKSPACE_SHARED';
// Non-blocking, because opening a FIFO would wait for its other end.
const AS_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The place of a path: its open folder, and its last name in it. */
export interface Place {
  folder: Folder;
  name: string;
  /** The name in the file system, if a walk found it: it may be invalid UTF-8. */
  bytes?: Buffer;
  /** The path from the root, as every output spells it. */
  path: string;
  pointer: string;
}

/** Runs a tool's work in the workspace and closes every descriptor. Every failure becomes a ToolError. */
export async function inWorkspace<T>(ctx: RunContext, work: (workspace: Workspace) => Promise<T>): Promise<T> {
  const workspace = new Workspace(ctx);
  try {
    return await work(workspace);
  } catch (error) {
    throw asToolError(error, workspace.changed ? 'unknown' : 'none');
  } finally {
    await workspace.close();
  }
}

/** One call's view of the workspace: the only way from a caller's path to the file system. */
export class Workspace {
  /** Set as soon as a visible change was made; determines what a failure may promise. */
  changed = false;
  private readonly opened = new Set<{ close(): Promise<void> }>();
  private rootFolder: Folder | undefined;

  constructor(readonly ctx: RunContext) {}

  async root(): Promise<Folder> {
    if (this.rootFolder) return this.rootFolder;
    this.rootFolder = this.keep(await Folder.root(await this.ctx.tenantFolder(ROOT_SETTING)));
    return this.rootFolder;
  }

  /** An existing folder of the caller's. */
  async folder(path: string, pointer = '/path'): Promise<{ folder: Folder; path: string }> {
    const names = namesOf(path, pointer);
    return { folder: await this.walk(names, pointer, false), path: names.join('/') || '.' };
  }

  /** The place of a file to read. */
  async place(path: string, pointer = '/path'): Promise<Place> {
    return this.placeOf(namesOf(path, pointer), pointer, false);
  }

  /** The place of a file to write; `makes_folders` creates missing folders on the path. */
  async writablePlace(path: string, pointer: string, makes_folders: boolean): Promise<Place> {
    return this.placeOf(writableNamesOf(path, pointer), pointer, makes_folders);
  }

  /** A folder of the platform (trash, receipts, staging), created if missing. */
  async privateFolder(...names: string[]): Promise<Folder> {
    let folder = await this.root();
    for (const name of [PRIVATE_FOLDER, ...names]) {
      await folder.make(name);
      folder = this.keep(await folder.enter(name, '/path'));
    }
    return folder;
  }

  /** As privateFolder, but undefined if missing: for callers that must not change anything. */
  async existingPrivateFolder(...names: string[]): Promise<Folder | undefined> {
    let folder = await this.root();
    for (const name of [PRIVATE_FOLDER, ...names]) {
      if (!(await entryOf(folder, name))) return undefined;
      folder = this.keep(await folder.enter(name, '/path'));
    }
    return folder;
  }

  /** An open regular file, and its stats. Links, folders, devices, FIFOs and sockets are refused. */
  async file(place: Place): Promise<{ handle: FileHandle; stats: Stats }> {
    await this.regular(place);
    const handle = this.keep(await open(place.bytes ? place.folder.atBytes(place.bytes) : place.folder.at(place.name), AS_FILE));
    const stats = await handle.stat();
    if (!stats.isFile()) throw notRegular(place);
    return { handle, stats };
  }

  /** The entry at a place, which must be a regular file. */
  async regular(place: Place): Promise<Stats> {
    const stats = await entryOf(place.folder, place.bytes ?? place.name);
    if (!stats) throw notFound(place.pointer, JSON.stringify(place.path));
    checkRegular(stats, place);
    return stats;
  }

  /** Call right before the change: checks that the run is not aborted and the places are still inside. */
  async beforeChange(...places: Place[]): Promise<void> {
    const root = await this.root();
    for (const { folder, pointer } of places) {
      if (!(await folder.stillIn(root))) throw refused(pointer, 'moved', 'a folder of the path was moved out of the workspace');
    }
    if (this.ctx.signal.aborted)
      throw new ToolError('CANCELLED', 'the call was aborted before it changed anything', { effect: this.changed ? 'unknown' : 'none' });
  }

  /** Searches for patterns of the caller; waits for the tenant's turn. */
  async search(): Promise<OpenSearch> {
    return this.keep(await this.ctx.patterns.open(this.ctx));
  }

  keep<T extends { close(): Promise<void> }>(opened: T): T {
    this.opened.add(opened);
    return opened;
  }

  /** Closes a descriptor before the end: for callers that open many. */
  async release(opened: { close(): Promise<void> }): Promise<void> {
    this.opened.delete(opened);
    await opened.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.opened].map((handle) => handle.close()));
  }

  private async placeOf(names: string[], pointer: string, makes_folders: boolean): Promise<Place> {
    const name = names.at(-1);
    if (name === undefined) throw refused(pointer, 'not_a_file', 'the path is the workspace itself');
    return { folder: await this.walk(names.slice(0, -1), pointer, makes_folders), name, path: names.join('/'), pointer };
  }

  private async walk(names: string[], pointer: string, makes_folders: boolean): Promise<Folder> {
    let folder = await this.root();
    for (const name of names) {
      if (makes_folders && (await folder.make(name))) this.changed = true;
      folder = this.keep(await folder.enter(name, pointer));
    }
    return folder;
  }
}

/** The entry of a name in a folder, without following links; undefined if there is none. */
export async function entryOf(folder: Folder, name: string | Buffer): Promise<Stats | undefined> {
  try {
    return await lstat(typeof name === 'string' ? folder.at(name) : folder.atBytes(name));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** @throws ToolError if it is not a regular file */
export function checkRegular(stats: Stats, place: Place): void {
  if (stats.isSymbolicLink()) throw linkRefused(place.name, place.pointer);
  if (!stats.isFile()) throw notRegular(place);
}

function notRegular(place: Place): ToolError {
  return refused(place.pointer, 'not_a_file', `${JSON.stringify(place.path)} is not a regular file`);
}
