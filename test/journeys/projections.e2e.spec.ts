import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EmbeddedPlatform } from './embedded-platform.js';

const PACKAGE = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const BUILDS_FIRST = 'tsc -b apps/cli && exec ';

let platform: EmbeddedPlatform;
beforeAll(async () => {
  platform = await EmbeddedPlatform.start({ COUNTERSIGN_PACKS: 'workspace,patterns' });
  const write = (path: number) =>
    platform.admin().call({ tool: 'write_file', inputs: { path: `${path}.txt`, content: 'x', mode: 'create' } });
  for (let n = 0; n < 120; n += 40) await Promise.all(Array.from({ length: 40 }, (_, at) => write(n + at)));
});
afterAll(() => platform.close());

interface Ran {
  code: number;
  out: string;
  stderr: string;
}

/** Runs what `npm run projections -- …` runs, without the build, which the suite has done. */
function projections(...args: string[]): Promise<Ran> {
  const script = PACKAGE.scripts.projections as string;
  expect(script.startsWith(BUILDS_FIRST)).toBe(true);
  const [command, ...first] = script.slice(BUILDS_FIRST.length).split(' ');
  const env = { ...process.env, COUNTERSIGN_URL: platform.base, COUNTERSIGN_DATA_DIR: platform.dataDir };
  return new Promise((resolve) => {
    execFile(command === 'node' ? process.execPath : (command as string), [...first, ...args], { env }, (error, out, stderr) =>
      resolve({ code: (error?.code as number | undefined) ?? 0, out, stderr: stderr }),
    );
  });
}

test('list names every projection with its live build and its tables', async () => {
  const { code, out } = await projections('list');
  expect(code).toBe(0);
  const lines = out.trim().split('\n');
  expect(lines.find((line) => line.startsWith('call '))).toMatch(/^call +live v\d+ +calls$/);
  for (const name of ['approval-inbox', 'case-history', 'saga', 'security', 'trust', 'usage'])
    expect(lines.some((line) => line.startsWith(`${name} `) && line.includes('live v'))).toBe(true);
});

test('rebuild shows progress, rate and remaining time, and ends when readers see identical rows', async () => {
  const before = (await projections('digest', 'call')).out;
  expect(before).toMatch(/^[0-9a-f]{64} {2}calls \(\d{3,} rows\)\n$/);
  const { code, out, stderr } = await projections('rebuild', 'call');
  expect(code).toBe(0);
  expect(out).toMatch(/^call is live as v\d+b2 after \d+\.\d s\n$/);
  const shown = stderr.trim().split('\n');
  expect(shown.some((line) => /^\[[#.]{30}\] +\d+\.\d % {2}\d+ of \d+ records/.test(line) || line === 'waiting for the projector')).toBe(
    true,
  );
  expect((await projections('list')).out).toMatch(/^call +live v\d+b2 +calls$/m);
  expect((await projections('digest', 'call')).out).toBe(before);
});

test('a wrong name, no name, a wrong verb and a wrong key are reported, each with its exit code', async () => {
  expect(await projections('rebuild', 'calls')).toMatchObject({ code: 1, stderr: expect.stringContaining('404') });
  expect(await projections('rebuild')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('usage: npm run countersign -- projections'),
  });
  expect(await projections('relist')).toMatchObject({ code: 2 });
  expect(await projections('list', '--key', 'nobody')).toMatchObject({ code: 1, stderr: expect.stringContaining('401') });
});
