import { testContext } from '@countersign/tool-kit/test-context';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { scratchRecords } from '../scratch-records.js';
import { stageAction } from './stage-action.js';

const world = scratchRecords();
beforeEach(() => world.prepare?.());
afterEach(() => world.clean?.());

const intent = { kind: 'create_record', target_system: 'erp', payload: { summary: 'One' } } as never;

test('forty runs with one key, at once, stage one action and all answer it', async () => {
  const ctx = testContext({ settings: world.settings?.() ?? {} });
  const answers = await Promise.all(Array.from({ length: 40 }, () => stageAction.run(intent, { ...ctx, call_id: testContext().call_id })));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(Object.keys((await world.snapshot?.()) as object)).toEqual([`/test/actions/${ctx.idempotency_key}.json`]);
});

test('another tenant with the same key has an action of its own', async () => {
  const ctx = testContext({ settings: world.settings?.() ?? {} });
  await stageAction.run(intent, ctx);
  await stageAction.run(intent, { ...ctx, tenant_id: 'other' });
  expect(Object.keys((await world.snapshot?.()) as object)).toHaveLength(2);
});

test.each(['..', '../test', 'a/b', '', 'shared'])('a tenant named %j reaches nothing', async (tenant_id) => {
  const ctx = testContext({ settings: world.settings?.() ?? {}, tenant_id });
  await expect(stageAction.run(intent, ctx)).rejects.toMatchObject({ code: 'POLICY_DENIED', more: { effect: 'none' } });
  expect(await world.snapshot?.()).toEqual({});
});
