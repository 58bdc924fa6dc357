import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseExecutorConfig } from './config.js';
import { foldersOf, settingsOf } from './pack-settings.js';
import { packs } from './packs.js';

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-settings-')));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const environment = (over: Record<string, string> = {}) => ({
  COUNTERSIGN_WORKSPACE_ROOT: join(dir, 'workspace'),
  COUNTERSIGN_RECORDS_ROOT: join(dir, 'records'),
  COUNTERSIGN_DATA_DIR: join(dir, 'data'),
  ...over,
});
const faults = (over: Record<string, string>) => {
  const parsed = parseExecutorConfig(environment(over), ['shared']);
  return 'faults' in parsed ? parsed.faults : [];
};

test('a tool gets no folder as a setting: it requests the folder of its tenant', () => {
  for (const pack of packs)
    for (const name of Object.keys(settingsOf(pack, environment()))) expect(name).not.toMatch(/_ROOT$|_SHARED$|_DIR$/);
  const roots = [...foldersOf(packs, environment())].map(([variable, { root, sharing }]) => [variable, root, sharing?.on]);
  expect(roots).toEqual([
    ['COUNTERSIGN_DEMO_ROOT', './demo', undefined],
    ['COUNTERSIGN_WORKSPACE_ROOT', join(dir, 'workspace'), false],
    ['COUNTERSIGN_RECORDS_ROOT', join(dir, 'records'), undefined],
  ]);
});

test.each([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
  ['', false],
])('COUNTERSIGN_WORKSPACE_SHARED=%j is %j', (text, on) => {
  expect(faults({ COUNTERSIGN_WORKSPACE_SHARED: text })).toEqual([]);
  const folder = foldersOf(packs, environment({ COUNTERSIGN_WORKSPACE_SHARED: text })).get('COUNTERSIGN_WORKSPACE_ROOT');
  expect(folder?.sharing).toEqual({ variable: 'COUNTERSIGN_WORKSPACE_SHARED', on });
});

test.each(['yes', 'TRUE', 'all', ' '])('COUNTERSIGN_WORKSPACE_SHARED=%j stops the start and is reported once', (text) => {
  expect(faults({ COUNTERSIGN_WORKSPACE_SHARED: text })).toEqual([expect.stringMatching(/^COUNTERSIGN_WORKSPACE_SHARED: /)]);
});

describe('folders inside each other stop the start', () => {
  test('records in the workspace, the workspace in the records, both in one place', () => {
    const inner = join(dir, 'workspace/records');
    expect(faults({ COUNTERSIGN_RECORDS_ROOT: inner })).toEqual([
      `COUNTERSIGN_RECORDS_ROOT ${inner}: is inside COUNTERSIGN_WORKSPACE_ROOT ${join(dir, 'workspace')}; set a folder outside it`,
    ]);
    expect(faults({ COUNTERSIGN_WORKSPACE_ROOT: join(dir, 'records/w') })).toHaveLength(1);
    expect(faults({ COUNTERSIGN_RECORDS_ROOT: join(dir, 'workspace') })).toHaveLength(1);
  });

  test('also through a link', () => {
    mkdirSync(join(dir, 'workspace'));
    symlinkSync(join(dir, 'workspace'), join(dir, 'elsewhere'));
    expect(faults({ COUNTERSIGN_RECORDS_ROOT: join(dir, 'elsewhere/records') })).toHaveLength(1);
  });

  test('the data directory, whose keys a tool could read, except under a name that tools cannot use', () => {
    expect(faults({ COUNTERSIGN_DATA_DIR: join(dir, 'workspace/data') })).toEqual([expect.stringContaining('COUNTERSIGN_DATA_DIR')]);
    expect(faults({ COUNTERSIGN_DATA_DIR: join(dir, 'workspace') })).toHaveLength(1);
    expect(faults({ COUNTERSIGN_DATA_DIR: join(dir, 'workspace/.countersign') })).toEqual([]);
    expect(faults({ COUNTERSIGN_DATA_DIR: dir })).toEqual([]);
  });

  test('and names that only share a prefix do not', () => {
    expect(faults({ COUNTERSIGN_RECORDS_ROOT: join(dir, 'workspace-records') })).toEqual([]);
    expect(faults({ COUNTERSIGN_RECORDS_ROOT: join(dir, '..workspace') })).toEqual([]);
  });
});
