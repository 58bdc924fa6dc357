import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api, Envelope } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';

const run = promisify(execFile);
const dir = mkdtempSync(path.join(tmpdir(), 'countersign-own-packs-'));
const pack = path.join(dir, 'my-pack');
const countersign = (...args: string[]) => run(process.execPath, ['apps/cli/bin/countersign.js', ...args]);
const npm = (...args: string[]) => run('npm', args, { cwd: pack, maxBuffer: 10_000_000 });
let platform: EmbeddedPlatform | undefined;

afterAll(async () => {
  await platform?.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Starts the platform with these packs. */
async function agentOn(...packs: string[]): Promise<Api> {
  await platform?.close();
  platform = await EmbeddedPlatform.start({ COUNTERSIGN_PACKS: packs.join(), MY_PACK_FOLDER: path.join(dir, 'data') });
  return platform.admin().keyFor('agent', 'agent-1', ['agent']);
}

beforeAll(async () => {
  await countersign('new', 'pack', pack);
  await countersign('new', 'tool', 'read_tide', '--pack', pack);
  await countersign('new', 'tool', 'book_berth', '--pack', pack, '--write');
});

test('a new pack runs as it was written, without an installation: the platform lends it the kit', async () => {
  const agent = await agentOn('workspace', pack);
  const read = await agent.request<Envelope>('POST', '/v1/calls', { tool: 'read_tide', inputs: { text: 'low' }, context: {} });
  expect(read.body).toMatchObject({ status: 'succeeded', output: { text: 'LOW' } });
});

test('the tarball of the kit installs into it with clean peers, its types check, and its own tests pass', async () => {
  await npm('install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund');
  const tree = JSON.parse((await npm('ls', '--all', '--json')).stdout) as { problems?: string[] };
  expect(tree.problems ?? []).toEqual([]);
  await npm('run', 'build');
  expect((await npm('test')).stdout).toContain('4 passed');
}, 300_000);

test('it is called through the API, with its own kit: a read, and a write that happens once and is undone', async () => {
  const agent = await agentOn('workspace', pack);
  const call = (tool: string, inputs: object) =>
    agent.request<Envelope>('POST', '/v1/calls', { tool, inputs, context: { run_id: 'run-1' } });
  expect((await call('shout_text', { text: 'hello' })).body).toMatchObject({ status: 'succeeded', output: { text: 'HELLO' } });
  const booked = await call('book_berth', { title: 'Berth 4', text: 'for the Molly' });
  expect(booked.body).toMatchObject({ status: 'succeeded', warnings: [] });
  const again = await call('book_berth', { title: 'Berth 4', text: 'for the Molly' });
  expect(again.body.output).toEqual(booked.body.output);
  const refused = await call('shout_text', { text: 1 });
  expect(refused.status).toBe(422);
});

/** Changes the source of a tool of the pack. */
function edit(from: string, to: string): void {
  const file = path.join(pack, 'src/shout-text/shout-text.ts');
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
}

test('a new version is taken while everything runs; code that cannot be used is named, and the version before it runs on', async () => {
  const agent = await agentOn('workspace', pack);
  const shout = async () =>
    (await agent.request<Envelope>('POST', '/v1/calls', { tool: 'shout_text', inputs: { text: 'hi' }, context: {} })).body;
  const unhealthy = async () => (await (await fetch(`${platform?.base}/readyz`)).json()) as { unhealthy_packs?: string[] };
  const until = (what: string, check: () => Promise<boolean>) => platform?.process.until(what, check);
  expect((await shout()).version).toBe('1.0.0');
  edit("version: '1.0.0'", "version: '1.1.0'");
  edit('text.toUpperCase() }', '`${text.toUpperCase()}!` }');
  await until('the new version', async () => (await shout()).version === '1.1.0');
  expect(await shout()).toMatchObject({ status: 'succeeded', output: { text: 'HI!' } });
  edit('defineTool({', 'defineTool({{');
  await until('the fault', async () => (await unhealthy()).unhealthy_packs?.join() === 'my-pack');
  expect(await shout()).toMatchObject({ status: 'succeeded', version: '1.1.0' });
  edit('defineTool({{', 'defineTool({');
  edit("version: '1.1.0'", "version: '1.2.0'");
  await until('the next version', async () => (await shout()).version === '1.2.0');
  expect((await unhealthy()).unhealthy_packs ?? []).toEqual([]);
}, 120_000);
