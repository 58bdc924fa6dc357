import { RecordedCalls, Refusal } from '@countersign/calls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FeatureApp } from '../testing/feature-app.js';
import { UsageRoom } from '../usage/usage-room.js';
import { ApprovalModesModule } from './approval-modes.module.js';

const answered = {
  call_id: 'c1',
  call: { tool: 'pay', version: '1.0.0', principal: { kind: 'agent', id: 'bot', roles: [] } },
  ruling: { approval_mode_effective: 'network', decided_at_ms: 1 },
};
const unanswered = { call_id: 'c2', call: answered.call, ruling: null };

let app: FeatureApp;
beforeAll(async () => {
  const find = async (_tenant: string, call_id: string) =>
    [answered, unanswered].find((call) => call.call_id === call_id) ?? new Refusal('not-found', 'there is no call of this id');
  app = await FeatureApp.open(
    [ApprovalModesModule],
    [
      { provide: RecordedCalls, useValue: { find } },
      { provide: UsageRoom, useValue: { commands: {} } },
    ],
  );
});
afterAll(() => app.close());

const correct = (call_id: string, role: 'operator' | 'agent' | undefined, body: unknown) =>
  app.send('POST', `/v1/calls/${call_id}/approval-mode`, { ...(role ? { role } : {}), body });

test('without a token it is 401, without the role 403, and a mode that does not exist is refused', async () => {
  const body = { approval_mode: 'destructive' };
  expect((await correct('c1', undefined, body)).status).toBe(401);
  expect((await correct('c1', 'agent', body)).status).toBe(403);
  expect((await correct('c1', 'operator', { approval_mode: 'loud' })).body.validation.issues[0].path).toBe('/approval_mode');
});

test('only a call that was answered is corrected', async () => {
  const body = { approval_mode: 'destructive' };
  expect((await correct('c0', 'operator', body)).status).toBe(404);
  expect((await correct('c2', 'operator', body)).status).toBe(409);
});
