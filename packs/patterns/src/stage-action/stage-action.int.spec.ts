import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { testContext } from '@countersign/tool-kit/test-context';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { scratchRecords } from '../scratch-records.js';
import { stageAction } from './stage-action.js';

const world = scratchRecords();
beforeEach(() => world.prepare?.());
afterEach(() => world.clean?.());

const intent = { kind: 'create_record', target_system: 'erp', payload: { summary: 'One' } } as never;

/** Paths of all records, of any tenant. */
const keptIn = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();

test('forty concurrent runs with one key stage one action and all return it', async () => {
  const ctx = testContext({ settings: world.settings?.() ?? {} });
  const answers = await Promise.all(Array.from({ length: 40 }, () => stageAction.run(intent, { ...ctx, call_id: testContext().call_id })));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(Object.keys((await world.snapshot?.()) as object)).toEqual([`/test/actions/${ctx.idempotency_key}.json`]);
});

test('another tenant with the same key has its own action', async () => {
  const ctx = testContext({ settings: world.settings?.() ?? {} });
  await stageAction.run(intent, ctx);
  await stageAction.run(intent, { ...ctx, tenant_id: 'other' });
  const name = `${ctx.idempotency_key}.json`;
  expect(keptIn(world.root())).toEqual([`other/actions/${name}`, `test/actions/${name}`]);
});

test.each(['..', '../test', 'a/b', '', 'shared', 'Test', 'CON', 'test.'])(
  'a tenant named %j keeps its records in a folder of its own',
  async (tenant_id) => {
    const ctx = testContext({ settings: world.settings?.() ?? {}, tenant_id });
    await stageAction.run(intent, ctx);
    const [kept, ...more] = keptIn(world.root());
    expect([kept, more]).toEqual([expect.stringMatching(/^(?!test\/|shared\/)[0-9a-z=]+\/actions\/[\w-]+\.json$/), []]);
    expect(await world.snapshot?.()).toEqual({});
  },
);
