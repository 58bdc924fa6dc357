import { testContext } from '@countersign/tool-kit/test-context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scratchRecords } from '../scratch-records.js';
import { requestApproval } from './request-approval.js';

const world = scratchRecords();
beforeAll(() => world.prepare?.());
afterAll(() => world.clean?.());

test.each([
  { kind: 'action', id: 'act_00000000-0000-4000-8000-000000000000' },
  { kind: 'action', id: 'act_../tasks/x' },
  { kind: 'decision', id: 'somewhere' },
])('what is not there gets no task: $kind $id', async (subject) => {
  const ctx = testContext({ settings: world.settings?.() ?? {} });
  const run = requestApproval.run({ subject, queue: 'claims', rationale: 'why' } as never, ctx);
  await expect(run).rejects.toMatchObject({ code: 'VALIDATION_ERROR', more: { class: 'not_found', effect: 'none' } });
  expect(await world.snapshot?.()).toEqual({});
});
