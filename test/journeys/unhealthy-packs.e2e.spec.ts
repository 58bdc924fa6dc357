import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api, Envelope } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';

const dir = mkdtempSync(path.join(tmpdir(), 'countersign-packs-'));
const broken = path.join(dir, 'broken');
const kit = pathToFileURL(path.resolve('libs/tool-kit/dist/index.js')).href;
const zod = pathToFileURL(path.resolve('node_modules/zod/index.js')).href;

/** A pack whose child cannot start while a file exists. */
const weather = `
import { existsSync } from 'node:fs';
import { defineTool } from '${kit}';
import { z } from '${zod}';
if (existsSync(${JSON.stringify(broken)})) throw new Error('the station does not answer');
const read = defineTool({
  name: 'read_weather', version: '1.0.0', title: 'Read the weather', description: 'Reads the weather of a place, for a test of packs.',
  category: 'test', effect_class: 'read_internal', input: z.strictObject({ place: z.string() }), output: z.strictObject({ sky: z.string() }),
  run: async () => ({ sky: 'blue' }),
});
export const pack = { name: 'weather', version: '1.0.0', tools: [read] };`;

const tool = (name: string, version = '1.0.0') => `defineTool({
  name: '${name}', version: '${version}', title: 'Read a thing', description: 'Reads a thing, for a test of packs from outside.',
  category: 'test', effect_class: 'read_internal', input: z.strictObject({}), output: z.strictObject({}), run: async () => ({}),
})`;
const module = (pack: string, ...tools: string[]) =>
  `import { defineTool } from '@countersign/tool-kit';\nimport { z } from 'zod';\nexport const pack = { name: '${pack}', tools: [${tools}] };`;

/** Packs that cannot be used, and what is said about each. */
const bad: Readonly<Record<string, [text: string, reason: RegExp]>> = {
  'blocks.mjs': ['for (;;);', /did not load its pack in time/],
  'exits.mjs': ['process.exit(0);', /ended with code 0/],
  'hangs.mjs': ['await new Promise(() => undefined);', /did not load its pack in time/],
  'kills.mjs': ["process.kill(process.pid, 'SIGKILL');", /ended with SIGKILL/],
  'other.mjs': ['export const other = 1;', /exports no pack/],
  'shouts.mjs': ["import { writeSync } from 'node:fs'; writeSync(3, 'not JSON\\n'); await new Promise(() => undefined);", /not JSON/],
  'throws.mjs': ["throw new Error('never');", /never/],
  'twice.mjs': [module('twice', tool('read_thing'), tool('read_thing')), /read_thing@1\.0\.0 twice/],
};
/** These load, and contradict a pack before them: they are named by their own names. */
const contradicting: Readonly<Record<string, [text: string, reason: RegExp]>> = {
  'thief.mjs': [module('thief', tool('read_file', '99.0.0')), /workspace already has the tool read_file/],
  'usurper.mjs': [module('workspace', tool('read_mine')), /another pack has the name workspace/],
};
const contradictors = ['thief', 'workspace'];

let platform: EmbeddedPlatform;
let agent: Api;

beforeAll(async () => {
  const texts = Object.entries({ ...bad, ...contradicting }).map(([name, [text]]) => [name, text] as const);
  for (const [name, text] of [['weather.mjs', weather] as const, ...texts]) writeFileSync(path.join(dir, name), text);
  const packs = ['workspace', ...['weather.mjs', ...Object.keys(bad), ...Object.keys(contradicting)].map((name) => path.join(dir, name))];
  const commands = JSON.stringify([{ name: 'bare', argv: [process.execPath] }]);
  platform = await EmbeddedPlatform.start({
    COUNTERSIGN_PACKS: packs.join(','),
    COUNTERSIGN_UPSTREAM_COMMANDS: commands,
    COUNTERSIGN_UPSTREAM_SANDBOX: 'none',
  });
  agent = await platform.admin().keyFor('agent', 'agent-1', ['agent']);
});
afterAll(async () => {
  await platform?.close();
  rmSync(dir, { recursive: true, force: true });
});

const UNSANDBOXED = 'upstream-commands';
const unusable = [...Object.keys(bad), ...contradictors, UNSANDBOXED].sort();
const ready = async () => (await fetch(`${platform.base}/readyz`)).json() as Promise<{ status: string; unhealthy_packs?: string[] }>;
const named = (...packs: string[]) =>
  platform.process.until(`unhealthy are ${packs}`, async () => (await ready()).unhealthy_packs?.join() === packs.join());
const weatherOf = (place: string) => agent.request<Envelope>('POST', '/v1/calls', { tool: 'read_weather', inputs: { place }, context: {} });

test('packs that cannot be loaded, and commands of upstreams without a sandbox, are named by /readyz and /v1/tools, and the others run', async () => {
  await named(...unusable);
  expect((await ready()).status).toBe('ready');
  const { body } = await agent.request<{ unhealthy_packs: { pack: string; reason: string }[] }>('GET', '/v1/tools');
  const given = new Map(body.unhealthy_packs.map(({ pack, reason }) => [pack, reason]));
  expect([...given.keys()].sort()).toEqual(unusable);
  const reasons = [...Object.entries(bad), ...Object.values(contradicting).map((each, at) => [contradictors[at] as string, each] as const)];
  for (const [pack, [, reason]] of reasons) expect(given.get(pack)).toMatch(reason);
  expect(given.get(UNSANDBOXED)).toMatch(/without a sandbox/);
  expect(JSON.stringify(body.unhealthy_packs)).not.toContain(dir);
  expect((await weatherOf('Ulm')).body).toMatchObject({ status: 'succeeded', output: { sky: 'blue' } });
});

test('a pack whose process can no longer start is named, and its calls fail without an effect, until it starts again', async () => {
  writeFileSync(broken, '');
  const tenant = await platform.admin().request('POST', '/v1/tenants', { tenant_id: 'umbra' });
  expect(tenant.status).toBeLessThan(300);
  const other = await platform.admin().keyFor('agent', 'agent-2', ['agent'], 'umbra');
  const failed = await other.request<Envelope>('POST', '/v1/calls', { tool: 'read_weather', inputs: { place: 'Bonn' }, context: {} });
  expect(failed.body).toMatchObject({ status: 'failed', error: { code: 'NETWORK_ERROR' } });
  await named(...[...unusable, 'weather'].sort());
  rmSync(broken);
  // After a failed start there is no other start for a second.
  await sleep(1_000);
  const again = await other.request<Envelope>('POST', '/v1/calls', { tool: 'read_weather', inputs: { place: 'Bonn' }, context: {} });
  expect(again.body.status).toBe('succeeded');
  await named(...unusable);
});
