import { digest8 } from '@countersign/domain';
import { expect, test } from 'vitest';
import type { Job } from '../calls/job.js';
import { Partitions } from '../partitions/partitions.js';
import { ClaimConflicts } from './claim-conflicts.js';

const end = { state: 'succeeded' as const, end_offset: 4, ended_at_ms: 900, revision: Number.POSITIVE_INFINITY, row_attempt: 1 };

test.each([
  ['running', 'answer_recorded'],
  ['compensated', 'claim_again'],
] as const)('a remembered end completes a row that is %s, but an effect that was undone answers nothing', (state, event) => {
  const partitions = new Partitions();
  partitions.get('shared', 0).ended('0-earlier', end);
  const runtime = { find: () => undefined };
  const conflicts = new ClaimConflicts(
    partitions,
    {} as never,
    runtime,
    { of: () => 86_400_000 } as never,
    { now_ms: () => 1_000 } as never,
  );
  const call = { key_source: 'derived', discriminating_digest: '00'.repeat(32), requested_at_ms: 950, compensates: null };
  const authorised = { joined_call_id: null, approval_id: null };
  const job = { call_id: '0-repeat', lane: 'shared', partition: 0, attempt: 1, claims: 0, unanswered_epoch: null, call, authorised };
  const row = {
    call_id: '0-earlier',
    attempt: 1,
    state,
    epoch: 1,
    ended_at_ms: 900,
    end_offset: 4,
    stands: true,
    digest8: digest8(call.discriminating_digest),
  };
  expect(conflicts.decide(job as unknown as Job, [row as never], 1)).toBe(event);
});
