import { expect, test } from 'vitest';
import { plainJob } from '../testing/plain-job.js';
import { ClaimStep } from './claim-step.js';

function confirmed(lease: { epoch: number; unproven?: boolean; held?: boolean }, refused = false) {
  const { epoch, unproven = false, held = true } = lease;
  const table = { epoch, unproven, check: () => held, proven: async () => held };
  const claim = new ClaimStep(undefined as never, undefined as never, undefined as never, table as never, { now_ms: () => 1 } as never);
  const job = plainJob('a');
  job.epoch = 5;
  if (refused) job.refusal = { why: 'expired', issues: [] };
  return claim.confirmLease(job);
}

test('a claim won under a lease continues under that lease', () => {
  expect(confirmed({ epoch: 5 })).toBe('lease_confirmed');
  expect(confirmed({ epoch: 5 }, true)).toBe('tombstone_confirmed');
});

test('a claim won under a lost lease is not started under the next one: its row is taken over', async () => {
  expect(confirmed({ epoch: 6 })).toBe('lease_missing');
  expect(confirmed({ epoch: 5, held: false })).toBe('lease_missing');
  expect(await confirmed({ epoch: 6, unproven: true })).toBe('lease_missing');
});
