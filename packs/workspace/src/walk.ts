import type { Stats } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { isToolError, shownText, ToolError } from '@countersign/tool-kit';
import { entryOf, type Workspace } from './confine.js';
import type { Folder } from './folder.js';
import { codeOf } from './refusal.js';
import { isReserved } from './workspace-path.js';

const DEPTH_MAX = 32;
const VISITED_MAX = 50_000;

export interface Found {
  /** From the root of the workspace; invalid UTF-8 is shown as `\xNN`, which no tool accepts as a path. */
  path: string;
  name: string;
  /** The name in the file system. */
  bytes: Buffer;
  type: 'file' | 'directory' | 'symlink' | 'other';
  stats: Stats;
  /** Whether its path below the start of the walk is wanted; true if it was not checked. */
  wanted: boolean;
  /** Its folder; open until the walk continues. */
  folder: Folder;
}

type Name = Pick<Found, 'name' | 'bytes' | 'wanted'>;

/** Returns which paths, relative to the start of the walk, are wanted; called once for each part of a folder. */
export type Wanted = (paths: readonly string[]) => Promise<boolean[]>;

const STATS_AT_ONCE = 1_000;

/**
 * Walks all entries in a folder in order of names, folders before their contents, without following links and without reserved names. At
 * most 50,000 entries and 32 folders deep: `cut` means that there were more.
 */
export class Walk {
  cut = false;
  private visited = 0;

  constructor(
    private readonly workspace: Workspace,
    private readonly options: { recursive: boolean; wanted?: Wanted },
  ) {}

  async *entries(start: { folder: Folder; path: string }, depth = 0, below = ''): AsyncGenerator<Found> {
    for (const name of await this.chosen(await this.namesIn(start.folder), below)) {
      if (this.workspace.ctx.signal.aborted)
        throw new ToolError('CANCELLED', 'the call was aborted while it read folders', { effect: 'none' });
      const found = await look(start, name);
      if (!found) continue;
      yield found;
      if (found.type === 'directory' && this.options.recursive) yield* this.below(found, depth, `${below}${name.name}/`);
    }
  }

  private async *below(found: Found, depth: number, below: string): AsyncGenerator<Found> {
    if (depth === DEPTH_MAX) {
      this.cut = true;
      return;
    }
    const folder = await enterIfThere(found);
    if (!folder) return;
    try {
      yield* this.entries({ folder, path: found.path }, depth + 1, below);
    } finally {
      await folder.close();
    }
  }

  private async chosen(names: Name[], below: string): Promise<Name[]> {
    const { wanted } = this.options;
    if (!wanted) return names;
    for (let at = 0; at < names.length; at += STATS_AT_ONCE) {
      const some = names.slice(at, at + STATS_AT_ONCE);
      const answers = await wanted(some.map(({ name }) => `${below}${name}`));
      for (const [i, name] of some.entries()) name.wanted = answers[i] === true;
    }
    return names;
  }

  private async namesIn(folder: Folder): Promise<Name[]> {
    const names: Name[] = [];
    for await (const entry of await opendir(folder.at(), { encoding: 'buffer' as never })) {
      const bytes = entry.name as unknown as Buffer;
      const name = shownText(bytes);
      if (isReserved(name)) continue;
      if (++this.visited > VISITED_MAX) {
        this.cut = true;
        break;
      }
      names.push({ name, bytes, wanted: true });
    }
    return names.sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

async function look({ folder, path }: { folder: Folder; path: string }, { name, bytes, wanted }: Name): Promise<Found | undefined> {
  const stats = await entryOf(folder, bytes);
  return stats && { path: path === '.' ? name : `${path}/${name}`, name, bytes, wanted, type: typeOf(stats), stats, folder };
}

/** Skips a folder that was deleted or replaced since it was listed, or that is not readable. */
async function enterIfThere(found: Found): Promise<Folder | undefined> {
  try {
    return await found.folder.enterBytes(found.bytes, '/path');
  } catch (error) {
    if (isToolError(error) || codeOf(error) === 'EACCES') return undefined;
    throw error;
  }
}

export function typeOf(stats: Stats): Found['type'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'symlink' : 'other';
}
