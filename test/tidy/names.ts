import { registries } from './registries.js';
import { type Fault, fileName, isGenerated, type SourceText } from './source.js';

const LAYERS = new Set([
  'services',
  'controllers',
  'repositories',
  'dtos',
  'dto',
  'utils',
  'util',
  'helpers',
  'common',
  'interfaces',
  'types',
  'shared',
  'misc',
]);
const VAGUE = new Set(['types', 'utils', 'util', 'helpers', 'helper', 'interfaces', 'common', 'misc', 'constants']);
const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*\.(tsx?|mjs|css)$/;
const MARKED = /\.(slow|sized)\./;
const MARKED_SPEC = /^[^.]+\.(slow|sized)\.((int|e2e)\.)?spec\.ts$/;

/** Stages outside, features inside, layers nowhere; a file is named after the one thing it exports. */
export function forbiddenNames(source: SourceText): Fault[] {
  if (isGenerated(source.path)) return [];
  const faults: Fault[] = [];
  const folders = source.path.split('/').slice(0, -1);
  const layer = folders.find((folder) => LAYERS.has(folder));
  const name = fileName(source.path);
  const add = (message: string) => faults.push({ path: source.path, line: 1, message });
  if (layer && !source.path.startsWith('schemas/')) add(`folder ${layer}: name it after the feature, not the layer`);
  if (VAGUE.has(name.split('.')[0] as string)) add(`file ${name}: name it after the one thing it exports`);
  if (!KEBAB.test(name)) add(`file ${name}: file names are kebab-case`);
  if (MARKED.test(name) && !MARKED_SPEC.test(name))
    add(`file ${name}: the runner finds <name>.slow.int.spec.ts, the mark right after the name`);
  return faults;
}

/** Only a lib's public index.ts and the registry of a room may pass exports on. */
export function barrels(source: SourceText): Fault[] {
  const inside = source.path.split('/src/')[1];
  if (inside === undefined || inside === 'index.ts' || fileName(inside) !== 'index.ts') return [];
  if (registries.some(({ workspaceFolder }) => source.path === `${workspaceFolder.exec(source.path)?.[0]}index.ts`)) return [];
  const at = source.text.split('\n').findIndex((line) => /^\s*export\s+(type\s+)?(\*|\{[^}]*\})\s*from\b/.test(line));
  return at < 0
    ? []
    : [{ path: source.path, line: at + 1, message: 'a barrel: import from the file itself (an index.ts below src is a registry)' }];
}
