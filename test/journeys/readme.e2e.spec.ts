import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CallBody, Envelope } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';

const readme = readFileSync('README.md', 'utf8');

/** The fenced block that follows a marker comment. */
function block(marker: string): string {
  const match = new RegExp(`<!-- ${marker}[^>]*-->\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(readme);
  if (!match) throw new Error(`README.md has no block after <!-- ${marker} -->`);
  return match[1] as string;
}

/** What differs from one run to the next, by its kind. */
function masked(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => masked(item));
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item, key)]));
  if (/_id$|^idempotency_key$/.test(name) && typeof value === 'string') return 'id';
  if (name === 'agent_token_ref' && typeof value === 'string') return value.split(':')[0];
  if (/^t_|^freshness$/.test(name) && typeof value === 'string') return 'time';
  if (/_ms$/.test(name) && typeof value === 'number') return 'ms';
  return value;
}

/** Where the README's platform listens. */
const ADDRESS = 'http://127.0.0.1:7070';
const inShell = promisify(execFile);

/** Runs the README's own lines, in a folder that has the platform's `.countersign`, and answers what they print as JSON. */
async function run(marker: string): Promise<Record<string, unknown>> {
  const script = `set -euo pipefail\n${block(marker).replaceAll(ADDRESS, platform.base)}`;
  const { stdout } = await inShell('bash', ['-c', script], { cwd: platform.dir });
  return stdout.trim() === '' ? {} : (JSON.parse(stdout) as Record<string, unknown>);
}

let platform: EmbeddedPlatform;
beforeAll(async () => {
  platform = await EmbeddedPlatform.start({ COUNTERSIGN_PACKS: 'workspace,git,patterns' });
  symlinkSync(platform.dataDir, path.join(platform.dir, '.countersign'));
});
afterAll(() => platform.close());

test("the README's call gets the README's answer, and again the same with deduplicated true", async () => {
  const sent = JSON.parse(/-d '([^']+)'/.exec(block('readme-call'))?.[1] as string) as CallBody;
  const promised = JSON.parse(block('readme-answer')) as Envelope;
  const first = await platform.admin().call(sent);
  expect(first.status).toBe(200);
  expect(masked(first.body)).toEqual(masked(promised));
  expect(readFileSync(`${platform.workspace}/hello.txt`, 'utf8')).toBe('hello');
  const again = await platform.admin().call(sent);
  expect(again.body).toMatchObject({ status: 'succeeded', deduplicated: true, output: first.body.output });
});

test("the README's own lines make a second person, ask, list what waits, approve, and the call runs", async () => {
  const file = path.join(platform.workspace, 'hello.txt');
  expect(existsSync(file)).toBe(true);
  await run('readme-second-person');
  expect(statSync(path.join(platform.dataDir, 'bea.key')).mode & 0o077).toBe(0);
  const asked = await run('readme-ask');
  expect(asked).toMatchObject({ status: 'pending_approval', name: 'delete_file' });
  const { approval_id } = asked.approval as { approval_id: string };
  const own = await platform.admin().request('POST', `/v1/approvals/${approval_id}/votes`, { vote: 'approve' });
  expect([own.status, existsSync(file)]).toEqual([403, true]);
  await run('readme-approve');
  let ran = await run('readme-ran');
  for (const end = Date.now() + 20_000; ran.status !== 'succeeded' && Date.now() < end; ran = await run('readme-ran')) await sleep(50);
  expect(ran).toMatchObject({ call_id: asked.call_id, status: 'succeeded', approval: { approval_id } });
  expect(JSON.stringify(ran.approval)).toContain('"bea"');
  expect(existsSync(file)).toBe(false);
});

test("each of the README's shell blocks is run here", () => {
  const markers = [...readme.matchAll(/```sh\n/g)].map(({ index }) => /<!-- ([\w-]+)[^>]*-->\n$/.exec(readme.slice(0, index))?.[1]);
  expect(markers).toEqual(['readme-call', 'readme-second-person', 'readme-ask', 'readme-approve', 'readme-ran']);
});
