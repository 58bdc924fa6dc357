import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { shownText } from '@countersign/tool-kit';
import { codeOf, notFound, refused } from './refusal.js';

const AS_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** A path through an open descriptor always refers to that folder, whatever its name refers to now: a replacement for openat(2). */
const BY_DESCRIPTOR = process.platform === 'linux';

/**
 * An open folder inside the workspace. Every folder is opened through the descriptor of its parent and no symbolic link is followed, so
 * swapping a folder for a link between check and use has no effect. Remaining risks: a process that may write outside the root can move a
 * folder out while it is open (checked by `stillIn`, but not in the last microseconds), and can add hard links or mounts to outside
 * files. Without /proc (not Linux), names are used instead of descriptors, and a swap between two calls is only detected afterwards.
 */
export class Folder {
  private constructor(
    private readonly handle: FileHandle,
    private readonly path: string,
  ) {}

  /** @param real_path a real path: a link that replaced it meanwhile is not followed */
  static async root(real_path: string): Promise<Folder> {
    return new Folder(await open(real_path, AS_FOLDER), real_path);
  }

  /** The path of an entry for a call of node:fs that does not follow its last name; without a name that of the folder itself. */
  at(name?: string): string {
    const folder = BY_DESCRIPTOR ? `/proc/self/fd/${this.handle.fd}` : this.path;
    return name === undefined ? `${folder}/.` : `${folder}/${name}`;
  }

  /** As `at`, for a name as bytes: not every name is UTF-8. */
  atBytes(name: Buffer): Buffer {
    return Buffer.concat([Buffer.from(this.at('')), name]);
  }

  async enter(name: string, pointer: string): Promise<Folder> {
    return this.enterBytes(Buffer.from(name), pointer);
  }

  async enterBytes(bytes: Buffer, pointer: string): Promise<Folder> {
    const name = shownText(bytes);
    try {
      return new Folder(await open(this.atBytes(bytes), AS_FOLDER), join(this.path, name));
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOENT') throw notFound(pointer, `folder ${JSON.stringify(name)}`);
      if (code !== 'ELOOP' && code !== 'ENOTDIR') throw error;
      if ((await lstat(this.atBytes(bytes))).isSymbolicLink()) throw linkRefused(name, pointer);
      throw refused(pointer, 'not_a_folder', `${JSON.stringify(name)} is not a folder`);
    }
  }

  /** Creates a folder if it is missing; returns whether it did. */
  async make(name: string): Promise<boolean> {
    try {
      await mkdir(this.at(name), 0o755);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /** Whether the folder is still at its path below the root. */
  async stillIn(root: Folder): Promise<boolean> {
    if (!BY_DESCRIPTOR) return (await realpath(this.path)) === this.path;
    const now = await readlink(`/proc/self/fd/${this.handle.fd}`);
    return now === root.path || now.startsWith(root.path === '/' ? '/' : `${root.path}/`);
  }

  /** Makes renames, links and unlinks in the folder durable. */
  sync(): Promise<void> {
    return this.handle.sync();
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

/** Symbolic links are never followed, even if they stay inside. */
export function linkRefused(name: string, pointer: string) {
  return refused(pointer, 'symbolic_link', `${JSON.stringify(name)} is a symbolic link, and links are not followed`);
}
