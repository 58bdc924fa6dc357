import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from './child-process.js';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const WAIT_MS = 120_000;

let dir: string;
let port: number;
let npm: ChildProcess | undefined;
let output: string;
beforeEach(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'countersign-npm-'));
  mkdirSync(path.join(dir, 'workspace'));
  port = await freePort();
});
afterEach(() => {
  // A separate process group: leftovers of a failed run are ended too.
  if (npm?.pid !== undefined && groupLives(npm.pid)) process.kill(-npm.pid, 'SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

function start(): ChildProcess {
  output = '';
  const child = spawn('npm', ['start'], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      COUNTERSIGN_PORT: String(port),
      COUNTERSIGN_DATA_DIR: path.join(dir, 'data'),
      COUNTERSIGN_WORKSPACE_ROOT: path.join(dir, 'workspace'),
      COUNTERSIGN_RECORDS_ROOT: path.join(dir, 'records'),
    },
  });
  const keep = (chunk: Buffer) => {
    output += chunk.toString();
  };
  for (const output of [child.stdout, child.stderr]) output?.on('data', keep);
  return child;
}

const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status === 200;
const groupLives = (pid: number): boolean => {
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
};

async function until(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + WAIT_MS;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`no ${what} within ${WAIT_MS} ms:\n${output}`);
    await sleep(100);
  }
}

/** The socket in the log folder with which a process holds the log (see DirectoryLock). */
const locks = () => readdirSync(path.join(dir, 'data/log')).filter((name) => name.startsWith('writer-'));

test('SIGTERM to `npm start` ends the platform, which releases its data directory', async () => {
  for (const round of [1, 2]) {
    npm = start();
    const { pid } = npm as { pid: number };
    await until(`answer of start ${round}`, ready);
    expect(locks()).toHaveLength(1);
    process.kill(pid, 'SIGTERM');
    await until('end of every process', () => !groupLives(pid));
    expect(await ready()).toBe(false);
    expect(locks()).toEqual([]);
  }
}, 300_000);

test('npm scripts pass a signal on: each script ends with the program itself, without a shell that waits for it', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
  const waits = Object.entries(scripts).filter(([, script]) => script.includes('&&') && !/&& exec [^&|;]+$/.test(script));
  expect(waits).toEqual([]);
});
