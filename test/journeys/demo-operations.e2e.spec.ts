import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EmbeddedPlatform } from './embedded-platform.js';

const BIN = path.resolve('apps/cli/bin/countersign.js');
const systems = mkdtempSync(path.join(tmpdir(), 'countersign-demo-'));
const inShell = promisify(execFile);
let platform: EmbeddedPlatform;
let printed: string;

beforeAll(async () => {
  platform = await EmbeddedPlatform.start({
    COUNTERSIGN_PACKS: 'workspace,demo,./packs/operations',
    COUNTERSIGN_DEMO_ROOT: path.join(systems, 'demo'),
    OPERATIONS_ROOT: path.join(systems, 'operations'),
  });
  const env = { ...process.env, COUNTERSIGN_URL: platform.base, COUNTERSIGN_DATA_DIR: platform.dataDir, COUNTERSIGN_KEY: '' };
  printed = (await inShell(process.execPath, ['--no-warnings', BIN, 'demo'], { env })).stdout;
});
afterAll(async () => {
  await platform?.close();
  rmSync(systems, { recursive: true, force: true });
});

interface Call {
  tool: string;
  status: string;
  deduplicated: boolean;
}

test('the demo works in the ledger of the pack operations: by rule, by people, once, and taken back', async () => {
  const { body } = await platform.admin().request<{ items: Call[] }>('GET', '/v1/calls?limit=200');
  const orders = body.items.filter(({ tool }) => tool === 'create_purchase_order');
  const states = orders.map(({ status, deduplicated }) => (deduplicated ? 'deduplicated' : status)).sort();
  // The last two are the undos of the two that were compensated.
  expect(states).toEqual([
    'compensated',
    'compensated',
    'deduplicated',
    'failed',
    'pending_approval',
    'succeeded',
    'succeeded',
    'succeeded',
  ]);
  expect(body.items.filter(({ tool }) => tool.startsWith('confirm_')).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
});

test('the ledger has one order in processing, and two drafts that were cancelled', () => {
  const lines = readFileSync(path.join(systems, 'operations', 'default', 'ledger.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const orders = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'purchase_order');
  const last = new Map(orders.map(({ id, record }) => [id, record.status]));
  expect([...last.values()].sort()).toEqual(['cancelled', 'cancelled', 'processing']);
});

test('it says where to look', () => {
  for (const what of ['that ran by rule', 'that Ben edited down', 'whose drafts were cancelled', 'the accepted quote'])
    expect(printed).toMatch(new RegExp(`${what}.*${platform.base}/`));
});
