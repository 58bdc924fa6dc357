import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { firstSteps } from '@countersign/client/first-steps';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EmbeddedPlatform } from './embedded-platform.js';

const PAGES = [
  'README.md',
  'docs/tutorials/first-call.md',
  'docs/tutorials/first-approval.md',
  'docs/tutorials/first-tool.md',
  'docs/tutorials/demo.md',
  'docs/how-to/find-calls.md',
  'docs/how-to/your-references.md',
  'docs/how-to/saga-definitions.md',
  'docs/how-to/sagas.md',
  'docs/how-to/predict-reliability.md',
];
const text = PAGES.map((page) => readFileSync(page, 'utf8')).join('\n');

/** The fenced block after a marker comment. */
function block(marker: string): string {
  const match = new RegExp(`<!-- ${marker}[ :][^>]*-->\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(text);
  if (!match) throw new Error(`the pages have no block after <!-- ${marker} -->`);
  return match[1] as string;
}

/** Masks values that differ between runs. */
function masked(value: unknown, name = ''): unknown {
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item, key)]));
  return /_id$/.test(name) && typeof value === 'string' ? 'id' : value;
}

/** The address of the platform in the pages. */
const ADDRESS = 'http://127.0.0.1:7070';
const inShell = promisify(execFile);
/** The script of package.json, in another folder. */
const RELIABILITY = `${process.execPath} --no-warnings ${path.resolve('apps/cli/bin/countersign.js')} reliability`;

/** Runs the lines of a page in a folder that has the platform's `.countersign`. */
async function printed(marker: string): Promise<string> {
  const lines = block(marker).replaceAll(ADDRESS, platform.base).replaceAll('npm run reliability --', RELIABILITY);
  const COUNTERSIGN_KEY = readFileSync(path.join(platform.dataDir, 'admin.key'), 'utf8').trim();
  const env = { ...process.env, COUNTERSIGN_URL: platform.base, COUNTERSIGN_KEY };
  return (await inShell('bash', ['-c', `set -euo pipefail\n${lines}`], { cwd: platform.dir, env })).stdout.trim();
}

async function answered(marker: string): Promise<Record<string, unknown>> {
  const stdout = await printed(marker);
  return stdout === '' ? {} : (JSON.parse(stdout) as Record<string, unknown>);
}

/** Beside the repository's node_modules, where a newcomer saves it. */
const TOOL = path.resolve('test/dist/greeting.mjs');
const CLIENT = path.resolve('test/dist/first-client.mjs');

/** The saga once it has this status. */
async function waiting(saga_id: string, status: string): Promise<object> {
  for (const end = Date.now() + 20_000; ; await sleep(50)) {
    const { body } = await platform.admin().request<{ status: string }>('GET', `/v1/sagas/${saga_id}`);
    if (body.status === status) return body;
    if (Date.now() > end) throw new Error(`${saga_id} is ${body.status}, not ${status}`);
  }
}

let platform: EmbeddedPlatform;
beforeAll(async () => {
  writeFileSync(TOOL, block('first-tool'));
  platform = await EmbeddedPlatform.start({ COUNTERSIGN_PACKS: `workspace,${TOOL}` });
  symlinkSync(platform.dataDir, path.join(platform.dir, '.countersign'));
});
afterAll(async () => {
  await platform.close();
  rmSync(TOOL);
  rmSync(CLIENT, { force: true });
});

test('the call of the README gets the response of the README, and a repeat gets deduplicated true', async () => {
  const promised = masked(JSON.parse(block('readme-answer'))) as Record<string, unknown>;
  expect(masked(await answered('readme-call'))).toMatchObject(promised);
  expect(readFileSync(`${platform.workspace}/hello.txt`, 'utf8')).toBe('hello');
  expect(await answered('readme-call')).toMatchObject({ status: 'succeeded', deduplicated: true, output: promised.output });
});

test('the first tutorial writes a file and reads its call; the second has a person approve its deletion', async () => {
  expect(await printed('first-call')).toBe('succeeded: 8 bytes');
  const file = path.join(platform.workspace, 'note.txt');
  expect(await answered('first-call-read')).toMatchObject({ status: 'succeeded', decision: { effect: 'allow' } });
  await printed('approval-second-person');
  expect(statSync(path.join(platform.dataDir, 'bea.key')).mode & 0o077).toBe(0);
  const response = await answered('approval-ask');
  expect(response).toMatchObject({ status: 'pending_approval', name: 'delete_file' });
  const { approval_id } = response.approval as { approval_id: string };
  const own = await platform.admin().request('POST', `/v1/approvals/${approval_id}/votes`, { vote: 'approve' });
  expect([own.status, existsSync(file)]).toEqual([403, true]);
  await printed('approval-approve');
  let ran = await answered('approval-ran');
  for (const end = Date.now() + 20_000; ran.status !== 'succeeded' && Date.now() < end; ran = await answered('approval-ran'))
    await sleep(50);
  expect(ran).toMatchObject({ call_id: response.call_id, status: 'succeeded', approval: { approval_id } });
  expect(JSON.stringify(ran.approval)).toContain('"bea"');
  expect(existsSync(file)).toBe(false);
});

test('the snippets of the demo page are those of the client, and work: a call, the same from a program, a rule', async () => {
  for (const { id, text } of firstSteps({ url: ADDRESS })) expect(block(`steps-${id}`)).toBe(`${text}\n`);
  expect(await answered('steps-curl')).toMatchObject({ tool: 'write_file', status: 'succeeded' });
  const env = { ...process.env, COUNTERSIGN_KEY: readFileSync(path.join(platform.dataDir, 'admin.key'), 'utf8').trim() };
  writeFileSync(CLIENT, block('steps-client').replaceAll(ADDRESS, platform.base));
  expect((await inShell(process.execPath, [CLIENT], { env })).stdout).toBe('succeeded\n');
  await printed('steps-rule');
  const inputs = { path: 'notes/a.txt', content: 'a', mode: 'create' };
  expect((await platform.admin().call({ tool: 'write_file', inputs })).body.status).toBe('pending_approval');
  expect((await platform.admin().request('PUT', '/v1/policies/active', { version: null, shadow: null })).status).toBe(200);
});

test('the third tutorial loads its own tool and calls it', async () => {
  expect(await answered('first-tool-call')).toMatchObject({ status: 'succeeded', output: { greeting: 'Hello, Ada!' } });
});

test('the first call is found by its text', async () => {
  const { items } = (await answered('find-calls')) as unknown as { items: object[] };
  expect(items).toContainEqual({ tool: 'write_file', inputs: { path: 'note.txt', content: 'buy milk', mode: 'create' } });
});

test('a case is opened once by its reference, a call names it, and both are found', async () => {
  const opened = await answered('references-open');
  expect(opened).toMatchObject({ external_id: 'PO-2024-118', metadata: { region: 'eu', buyer: 'team-7' } });
  expect(await answered('references-open')).toMatchObject({ case_id: opened.case_id });
  const called = await answered('references-call');
  expect(called).toMatchObject({ status: 'succeeded', case_id: opened.case_id, external_id: 'PO-2024-118/line-1' });
  expect(await answered('references-find')).toMatchObject({ items: [{ call_id: called.call_id }] });
  const admin = platform.admin();
  const found = await admin.request<{ items: object[] }>('GET', '/v1/cases?external_id=PO-2024-118&metadata.region=eu');
  expect(found.body.items).toMatchObject([{ case_id: opened.case_id }]);
  const named = [`/v1/cases/ext:PO-2024-118`, '/v1/cases/ext:PO-2024-118/history'];
  for (const url of named) expect([url, (await admin.request('GET', url)).status]).toEqual([url, 200]);
  await admin.request('POST', '/v1/tenants', { tenant_id: 'rival' });
  const rival = await admin.keyFor('user', 'rival', ['admin'], 'rival');
  for (const url of named) expect([url, (await rival.request('GET', url)).status]).toEqual([url, 404]);
});

test('a saga is checked, published and drawn as its page says, and built by the client', async () => {
  writeFileSync(path.join(platform.dir, 'archive-note.yaml'), block('saga-file'));
  const warnings = [{ step: 'note', pointer: '/root/blocks/1/use/inputs/content/from', message: expect.stringContaining('maxLength') }];
  expect(await answered('saga-check')).toMatchObject({ publishable: true, faults: [], warnings });
  expect(await answered('saga-publish')).toMatchObject({ name: 'archive-note', version: '1.0.0', warnings });
  expect(await printed('saga-chart')).toContain('move#58; move_file');
  writeFileSync(CLIENT, block('saga-client'));
  const definition = JSON.parse((await inShell(process.execPath, [CLIENT])).stdout) as object;
  const checked = await platform.admin().request('POST', '/v1/saga-definitions:check', definition);
  expect(checked.body).toMatchObject({ publishable: true, faults: [] });
});

test('a saga runs as its page says, and its repeat is the same saga', async () => {
  const saga = await answered('saga-start');
  expect(saga).toMatchObject({ status: 'completed', definition: { name: 'archive', version: '1.0.0' } });
  expect(readFileSync(`${platform.workspace}/archive-list.txt`, 'utf8')).toBe('archived-report.txt');
  expect(await answered('saga-start')).toEqual(saga);
  expect(await answered('saga-read')).toMatchObject({ items: [{ saga_id: saga.saga_id }] });
});

test('a saga whose step fails is undone, a wait is answered, and a program starts a saga, as their page says', async () => {
  expect(await answered('saga-undone')).toMatchObject({ status: 'compensated', failed_step_id: 'look' });
  expect(['archived-report.txt', 'moved-again.txt'].map((name) => existsSync(`${platform.workspace}/${name}`))).toEqual([true, false]);
  expect(await answered('saga-waits')).toMatchObject({ saga_id: 'ask-for-total' });
  expect(await waiting('ask-for-total', 'awaiting_approval')).toMatchObject({
    waits: [{ step_id: 'total', answer_at: '/v1/sagas/ask-for-total/waits/total' }],
  });
  await answered('saga-answer');
  await waiting('ask-for-total', 'completed');
  expect(readFileSync(`${platform.workspace}/total.txt`, 'utf8')).toBe('42');
  writeFileSync(CLIENT, block('saga-program').replaceAll(ADDRESS, platform.base));
  expect((await inShell(process.execPath, [CLIENT], { cwd: platform.dir })).stdout).toBe('completed\n');
});

test('the reliability of the saga is predicted from the server and from a file of rates as its page says', async () => {
  const predicted = await printed('reliability-server');
  expect(predicted).toMatch(/move +1 +move_file +1\.\d+\.\d+ +[\d.]+ /);
  expect(predicted).toContain('note /root/blocks/1: its condition is counted as true');
  writeFileSync(path.join(platform.dir, 'rates.yaml'), block('reliability-rates'));
  expect(await printed('reliability-offline')).toMatch(/R, completes without a person +0\.8550/);
});

test('each shell and script block of the README and the tutorials runs here', () => {
  const markers = [...text.matchAll(/```(?:sh|js)\n/g)].map(({ index }) => /<!-- ([\w-]+)[^>]*-->\n$/.exec(text.slice(0, index))?.[1]);
  expect(markers).toEqual([
    'readme-call',
    'first-call',
    'first-call-read',
    'first-client',
    'approval-second-person',
    'approval-ask',
    'approval-approve',
    'approval-ran',
    'first-tool',
    'first-tool-call',
    'steps-curl',
    'steps-client',
    'steps-rule',
    'find-calls',
    'references-open',
    'references-call',
    'references-find',
    'saga-check',
    'saga-publish',
    'saga-chart',
    'saga-client',
    'saga-start',
    'saga-read',
    'saga-undone',
    'saga-waits',
    'saga-answer',
    'saga-program',
    'reliability-server',
    'reliability-offline',
  ]);
});

test('the console or what to run for it, every page of the documentation and the API reference are served, and no link on them is broken', async () => {
  const [seen, broken] = [new Set<string>(), [] as string[]];
  const todo = ['/', '/docs'];
  for (let page = todo.shift(); page !== undefined; page = todo.shift()) {
    if (seen.has(page)) continue;
    seen.add(page);
    const answer = await fetch(`${platform.base}${page}`);
    if (answer.status !== 200) broken.push(`${page}: ${answer.status}`);
    if (!answer.headers.get('content-type')?.startsWith('text/html')) continue;
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await answer.text();
    const links = [...html.matchAll(/(?:href|src)="(\/[^"#]*)/g)].map(([, link]) => link as string);
    todo.push(...links.filter((link) => /^\/(docs|openapi|asyncapi|readyz|healthz|$)/.test(link)));
  }
  expect(broken).toEqual([]);
  expect(seen.size).toBeGreaterThan(50);
});

test('an agent in TypeScript makes the same call with the client, and reads it through the typed routes', async () => {
  writeFileSync(CLIENT, block('first-client').replaceAll(ADDRESS, platform.base));
  const { stdout } = await inShell(process.execPath, [CLIENT], { cwd: platform.dir });
  expect(stdout).toBe('succeeded: 8 bytes\n');
  expect(readFileSync(path.join(platform.workspace, 'todo.txt'), 'utf8')).toBe('buy milk');
});
