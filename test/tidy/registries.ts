import { type Fault, fileName, type SourceText } from './source.js';

/** A room whose items are listed in its index.ts: one folder an item (in packs one that holds a file of its own name), or one file with this role suffix. */
interface Registry {
  workspaceFolder: RegExp;
  /** The item that a path inside the room belongs to, or undefined. */
  itemOf(inside: string): string | undefined;
}

const folderWithItsFile = (inside: string) => /^([^/]+)\/\1\.ts$/.exec(inside)?.[1];
const anyFolder = (inside: string) => (inside.includes('/') ? (inside.split('/')[0] as string) : undefined);

export const registries: readonly Registry[] = [
  { workspaceFolder: /^packs\/[^/]+\/src\//, itemOf: folderWithItsFile },
  { workspaceFolder: /^apps\/projector\/src\/projections\//, itemOf: anyFolder },
  { workspaceFolder: /^libs\/runtimes\/src\//, itemOf: (inside) => (inside.startsWith('testing/') ? undefined : anyFolder(inside)) },
  { workspaceFolder: /^libs\/policy\/src\/conditions\//, itemOf: (inside) => /^(.*)\.condition\.ts$/.exec(inside)?.[1] },
];

/** Whether the index.ts imports from the item itself: `'./call/…'` or `'./call.condition.js'`, and not `'./call-history/…'`. */
const names = (index: SourceText | undefined, item: string) => index?.text.includes(`'./${item}/`) || index?.text.includes(`'./${item}.`);

/** Items that their room's index.ts does not name. */
export function unlistedItems(sources: readonly SourceText[]): Fault[] {
  const faults = new Map<string, Fault>();
  const byPath = new Map(sources.map((source) => [source.path, source]));
  for (const { path } of sources) {
    for (const registry of registries) {
      const workspaceFolder = registry.workspaceFolder.exec(path)?.[0];
      if (workspaceFolder === undefined || fileName(path).includes('.spec.')) continue;
      const item = registry.itemOf(path.slice(workspaceFolder.length));
      if (item === undefined || names(byPath.get(`${workspaceFolder}index.ts`), item)) continue;
      faults.set(workspaceFolder + item, { path, line: 1, message: `${item} is not listed in ${workspaceFolder}index.ts: add its line` });
    }
  }
  return [...faults.values()];
}
