import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestGateway } from '../testing/test-gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.open();
}, 60_000);
afterAll(() => gateway.close());

test('the mode of an answered call is corrected, and the correction is removed with its effective mode', async () => {
  const { body: call } = await gateway.call('write_note', {}, { prefer: 'wait=20' });
  const url = `/v1/calls/${call.call_id}/approval-mode`;
  const wrong = await gateway.send('POST', url, { approval_mode: 'destructive', reason: 'it overwrote a note' });
  expect([wrong.status, wrong.body]).toMatchObject([200, { call_id: call.call_id, misclassified: true, reason: 'it overwrote a note' }]);
  expect(wrong.headers.get('countersign-position')).toMatch(/^[a-z-]+:\d+:\d+$/);
  const back = await gateway.send('POST', url, { approval_mode: wrong.body.mode_effective });
  expect([back.body.misclassified, back.body.reason]).toEqual([false, null]);
});
