import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { placeOf } from './pack-places.js';

const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'countersign-places-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const project = path.join(root, 'project', 'inner');
const packages = { '@acme/tools': path.join(project, 'node_modules/@acme/tools'), plain: path.join(root, 'project/node_modules/plain') };
for (const place of Object.values(packages)) {
  mkdirSync(place, { recursive: true });
  writeFileSync(path.join(place, 'package.json'), '{}');
}
mkdirSync(path.join(project, 'my-pack'));

test('a package is found in node_modules here and above, as Node finds it', () => {
  expect(placeOf('@acme/tools', project)).toBe(packages['@acme/tools']);
  expect(placeOf('plain', project)).toBe(packages.plain);
  expect(placeOf('@acme/tools', root)).toBeUndefined();
});

test('a path is a module or a folder that exists', () => {
  expect(placeOf('./my-pack', project)).toBe(path.join(project, 'my-pack'));
  expect(placeOf(path.join(project, 'my-pack'), '/')).toBe(path.join(project, 'my-pack'));
  expect(placeOf('./absent', project)).toBeUndefined();
});

test.each(['@acme/../tools', '@acme/tools/../../x', 'Plain', '', '@acme', 'a b', '@/x'])('%s names nothing', (name) => {
  expect(placeOf(name, project)).toBeUndefined();
});
