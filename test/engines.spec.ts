import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import semver from 'semver';
import { expect, test } from 'vitest';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const read = (file: string) => JSON.parse(readFileSync(path.join(root, file), 'utf8'));

interface Locked {
  version?: string;
  engines?: { node?: string };
}

/** The packages of a lock file that do not run on this Node: npm prints EBADENGINE for each. */
function unfit(packages: Record<string, Locked>, node: string): string[] {
  return Object.entries(packages)
    .filter(([, { engines }]) => engines?.node !== undefined && !semver.satisfies(node, engines.node))
    .map(([place, { version, engines }]) => `${place} ${version} needs node ${engines?.node}`);
}

test('a package that needs a later Node is named', () => {
  const packages = {
    'node_modules/a': { version: '2.0.0', engines: { node: '>=22' } },
    'node_modules/b': { engines: { node: '20 || >=22' } },
  };
  expect(unfit(packages, '20.19.0')).toEqual(['node_modules/a 2.0.0 needs node >=22']);
});

test('every package runs on the oldest Node that we promise, and on the one of CI', () => {
  const { packages } = read('package-lock.json') as { packages: Record<string, Locked> };
  const promised = semver.minVersion(read('package.json').engines.node)?.version as string;
  expect(promised).toMatch(/^20\./);
  for (const node of [promised, '24.21.0']) expect(unfit(packages, node)).toEqual([]);
});
