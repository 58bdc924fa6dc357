import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { TestedProcess } from './child-process.js';
import { EmbeddedPlatform } from './embedded-platform.js';

/** Only a hanging start is killed: a busy machine starts slowly. */
const HANGS_MS = 200_000;

/** Starts the platform with an environment in which it cannot run; returns its exit code and output. */
async function refused(env: Record<string, string>, app = 'standalone'): Promise<{ code: number | NodeJS.Signals; output: string[] }> {
  const process = new TestedProcess(`apps/${app}/dist/main.js`, env);
  process.start();
  const killer = setTimeout(() => process.signal('SIGKILL'), HANGS_MS);
  const code = await process.exit();
  clearTimeout(killer);
  return { code, output: process.output.split('\n').filter((line) => line !== '') };
}

describe('a platform that cannot run reports the reason in one line and exits with 1', () => {
  test('all configuration faults together', async () => {
    const { code, output } = await refused({
      COUNTERSIGN_PORT: 'seventy',
      COUNTERSIGN_PARTITIONS: '0',
      COUNTERSIGN_LANES: 'No Lane',
      COUNTERSIGN_PACKS: 'workspace,nonsense',
    });
    expect(code).toBe(1);
    for (const name of ['COUNTERSIGN_PORT', 'COUNTERSIGN_PARTITIONS', 'COUNTERSIGN_LANES', 'COUNTERSIGN_PACKS'])
      expect(output.filter((line) => line.includes(name))).toHaveLength(1);
  });

  test('blank variables and folders that are files, among all other faults and before anything is opened', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'countersign-start-'));
    const file = path.join(dir, 'file');
    writeFileSync(file, '');
    const { code, output } = await refused({
      COUNTERSIGN_PORT: ' ',
      COUNTERSIGN_PARTITIONS: '\t',
      COUNTERSIGN_RUNNING_MAX: ' ',
      COUNTERSIGN_POLICY_BATCH_RECORDS: 'many',
      COUNTERSIGN_EXPORTS: ' ',
      COUNTERSIGN_HEALTH_PORT: '0x10',
      COUNTERSIGN_GIT_PROTECTED: ' ',
      COUNTERSIGN_WORKSPACE_SHARED: 'yes',
      COUNTERSIGN_WORKSPACE_ROOT: file,
      COUNTERSIGN_RECORDS_ROOT: path.join(file, 'records'),
      COUNTERSIGN_DATA_DIR: path.join(dir, 'data'),
    });
    const opened = existsSync(path.join(dir, 'data'));
    rmSync(dir, { recursive: true, force: true });
    expect({ code, opened }).toEqual({ code: 1, opened: false });
    expect(output.map((line) => line.replace(/^countersign: (\w+)[: ].*$/, '$1')).sort()).toEqual([
      'COUNTERSIGN_EXPORTS',
      'COUNTERSIGN_GIT_PROTECTED',
      'COUNTERSIGN_HEALTH_PORT',
      'COUNTERSIGN_PARTITIONS',
      'COUNTERSIGN_POLICY_BATCH_RECORDS',
      'COUNTERSIGN_PORT',
      'COUNTERSIGN_RECORDS_ROOT',
      'COUNTERSIGN_RUNNING_MAX',
      'COUNTERSIGN_WORKSPACE_ROOT',
      'COUNTERSIGN_WORKSPACE_SHARED',
    ]);
  });

  test.each(['gateway', 'policy', 'executor', 'projector'])('the same of a %s that runs alone', async (app) => {
    const env = { COUNTERSIGN_HEALTH_PORT: 'seventy', COUNTERSIGN_LANES: 'No Lane', COUNTERSIGN_KAFKA_BROKERS: '127.0.0.1:1' };
    const { code, output } = await refused(env, app);
    expect(code).toBe(1);
    for (const name of ['COUNTERSIGN_HEALTH_PORT', 'COUNTERSIGN_LANES', 'COUNTERSIGN_DATABASE_URL'])
      expect(output.filter((line) => line.startsWith('countersign: ') && line.includes(name))).toHaveLength(1);
    expect(output.filter((line) => !line.startsWith('countersign: '))).toEqual([]);
  });

  test('half of a distributed configuration', async () => {
    const { code, output } = await refused({ COUNTERSIGN_KAFKA_BROKERS: '127.0.0.1:1' });
    expect(code).toBe(1);
    expect(output.join('\n')).toContain('COUNTERSIGN_DATABASE_URL');
  });

  test('a port in use', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'countersign-start-'));
    const taken = await new Promise<Server>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => resolve(server));
    });
    const { port } = taken.address() as { port: number };
    const { code, output } = await refused({
      COUNTERSIGN_PORT: String(port),
      COUNTERSIGN_DATA_DIR: dir,
      COUNTERSIGN_WORKSPACE_ROOT: path.join(dir, 'workspace'),
    });
    taken.close();
    rmSync(dir, { recursive: true, force: true });
    expect(code).toBe(1);
    expect(output.at(-1)).toMatch(new RegExp(`port ${port}.*in use`));
  });

  test.each([
    ['COUNTERSIGN_HOST', '192.0.2.1'],
    ['COUNTERSIGN_WORKSPACE_ROOT', '/dev/null/workspace'],
    ['COUNTERSIGN_DATA_DIR', '/proc/countersign'],
  ])('%s=%s', async (variable, value) => {
    const dir = mkdtempSync(path.join(tmpdir(), 'countersign-start-'));
    const { code, output } = await refused({
      COUNTERSIGN_PORT: '0',
      COUNTERSIGN_DATA_DIR: dir,
      COUNTERSIGN_WORKSPACE_ROOT: path.join(dir, 'workspace'),
      [variable]: value,
    });
    rmSync(dir, { recursive: true, force: true });
    expect({ code, last: output.at(-1) }).toEqual({ code: 1, last: expect.stringMatching(`^countersign: .*${variable}`) });
    expect(output.filter((line) => line.startsWith('    at '))).toEqual([]);
  });

  test('a data directory that another process holds', async () => {
    const platform = await EmbeddedPlatform.start();
    const { code, output } = await refused({ COUNTERSIGN_PORT: '1', COUNTERSIGN_DATA_DIR: platform.dataDir });
    expect(code).toBe(1);
    expect(output.at(-1)).toMatch(/locked|in use/);
    expect(statSync(path.join(platform.dataDir, 'admin.key')).mode & 0o777).toBe(0o600);
    await platform.close();
  });

  test('a data directory that is not a directory', async () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'countersign-start-')), 'file');
    writeFileSync(file, '');
    const { code, output } = await refused({ COUNTERSIGN_DATA_DIR: file });
    rmSync(path.dirname(file), { recursive: true, force: true });
    expect(code).toBe(1);
    expect(output).toEqual([expect.stringContaining('COUNTERSIGN_DATA_DIR')]);
  });
});
