import { describe, expect, test } from 'vitest';
import { type Authority, admit, type Knowledge, tooLate } from './admit.js';
import { afterLostClaim, type Claimant } from './lost-claim.js';
import { afterTakeover, type Orphan } from './orphan.js';
import type { Recovery } from './result.js';
import { digest8, type Execution } from './row.js';

const DIGEST = 'a'.repeat(64);
const authority = (over: Partial<Authority> = {}): Authority => ({
  call_id: '0-b',
  key: 'k',
  write: true,
  joined_call_id: null,
  key_passed: true,
  discriminating_digest: DIGEST,
  execute_before_ms: 1000,
  deadline_ms: null,
  ...over,
});
const nothing = (over: Partial<Knowledge> = {}): Knowledge => ({
  history: false,
  ended: false,
  open: false,
  cancelled: false,
  live: null,
  settled: null,
  window_ms: 100,
  now_ms: 500,
  ...over,
});
const other = { call_id: '0-a', digest8: digest8(DIGEST) };

describe('a record that allows a call', () => {
  test.each([
    ['is new and a write: it waits for a slot and then claims', authority(), nothing(), { kind: 'fire' }],
    ['is new and read-only: it runs', authority({ write: false }), nothing(), { kind: 'read' }],
    ['is history: ignored', authority(), nothing({ history: true }), { kind: 'ignore', why: 'history' }],
    ['has ended: ignored', authority(), nothing({ ended: true, cancelled: true }), { kind: 'ignore', why: 'ended' }],
    ['is here already: ignored', authority(), nothing({ open: true }), { kind: 'ignore', why: 'open' }],
    ['was cancelled: refused', authority(), nothing({ cancelled: true }), { kind: 'refuse', why: 'cancelled' }],
    ['comes after its time: refused', authority(), nothing({ now_ms: 1000 }), { kind: 'refuse', why: 'expired' }],
    ['comes after its deadline: refused', authority({ deadline_ms: 400, write: false }), nothing(), { kind: 'refuse', why: 'deadline' }],
    ['has a live key: it joins', authority(), nothing({ live: other }), { kind: 'join', call_id: '0-a' }],
    [
      'has a live key of other inputs: refused',
      authority(),
      nothing({ live: { ...other, digest8: 1 } }),
      { kind: 'refuse', why: 'idempotency_key_reused' },
    ],
    ['has a settled key: answered', authority(), nothing({ settled: { ...other, ended_at_ms: 450 } }), { kind: 'answer', call_id: '0-a' }],
    ['has a key whose window is over: it claims', authority(), nothing({ settled: { ...other, ended_at_ms: 300 } }), { kind: 'fire' }],
    [
      'may only join and its call is not here: looked up',
      authority({ joined_call_id: '0-a' }),
      nothing(),
      { kind: 'look_up', call_id: '0-a' },
    ],
    [
      'may only join and its call is live: joined, late or not',
      authority({ joined_call_id: '0-a' }),
      nothing({ live: other, now_ms: 2000 }),
      { kind: 'join', call_id: '0-a' },
    ],
  ])('%s', (_title, given, known, then) => {
    expect(admit(given, known)).toEqual(then);
  });

  test('the deadline is checked before the expiry of the ruling, and a time equal to it is too late', () => {
    expect(tooLate({ execute_before_ms: 10, deadline_ms: 10 }, 10)).toBe('deadline');
    expect(tooLate({ execute_before_ms: 10, deadline_ms: null }, 9)).toBeNull();
  });
});

const claimant = (over: Partial<Claimant> = {}): Claimant => ({
  call_id: '0-b',
  discriminating_digest: DIGEST,
  requested_at_ms: 1000,
  window_ms: 100,
  epoch: 7,
  unanswered_epoch: null,
  joined_call_id: null,
  terms: { key_source: 'derived', names: 'replaces', has_verify: false },
  ...over,
});
const row = (over: Partial<Execution> = {}): Execution => ({
  attempt: 1,
  call_id: '0-a',
  epoch: 7,
  state: 'succeeded',
  digest8: digest8(DIGEST),
  end_offset: 5,
  ended_at_ms: 950,
  stands: true,
  ...over,
});

describe('a claim that did not get its row', () => {
  test.each([
    ['finds none: again', claimant(), [], { kind: 'attempt', attempt: 1 }],
    ['finds a released attempt: the next one', claimant(), [row({ state: 'released' })], { kind: 'attempt', attempt: 2 }],
    ['finds a compensated attempt: the next one', claimant(), [row({ state: 'compensated' })], { kind: 'attempt', attempt: 2 }],
    [
      'may only be answered by a compensated attempt: policy rules again',
      claimant({ joined_call_id: '0-a' }),
      [row({ state: 'compensated' })],
      { kind: 'answer_gone' },
    ],
    [
      'finds a running one: joins it',
      claimant(),
      [row({ state: 'running', end_offset: null })],
      { kind: 'join', call_id: '0-a', attempt: 1 },
    ],
    ['finds a settled one: answered by it', claimant(), [row()], { kind: 'answer', call_id: '0-a', attempt: 1, end_offset: 5 }],
    [
      'finds one in doubt: answered by it, whatever its age',
      claimant({ requested_at_ms: 9e9 }),
      [row({ state: 'in_doubt' })],
      { kind: 'answer', call_id: '0-a', attempt: 1, end_offset: 5 },
    ],
    [
      'finds one whose window is over: the next attempt',
      claimant({ requested_at_ms: 1050 }),
      [row()],
      { kind: 'attempt', attempt: 2, window_over: true },
    ],
    [
      'in an open case a window is never over',
      claimant({ requested_at_ms: 9e9, window_ms: Number.POSITIVE_INFINITY }),
      [row()],
      { kind: 'answer', call_id: '0-a', attempt: 1, end_offset: 5 },
    ],
    ['finds one whose resources moved since: the next attempt', claimant(), [row({ stands: false })], { kind: 'attempt', attempt: 2 }],
    [
      'whose key the caller passed is answered whatever moved since',
      claimant({ terms: { key_source: 'header', names: 'replaces', has_verify: false } }),
      [row({ stands: false })],
      { kind: 'answer', call_id: '0-a', attempt: 1, end_offset: 5 },
    ],
    [
      'of a tool that can look at its effect: it is looked at',
      claimant({ terms: { key_source: 'derived', names: 'nothing', has_verify: true } }),
      [row({ stands: null })],
      { kind: 'verify', call_id: '0-a', attempt: 1, end_offset: 5 },
    ],
    [
      'may only join and a later attempt has the effect: answered by that one',
      claimant({ joined_call_id: '0-a' }),
      [row({ stands: false }), row({ call_id: '0-c', attempt: 2 })],
      { kind: 'answer', call_id: '0-c', attempt: 2, end_offset: 5 },
    ],
    [
      'may only join, its answer is no longer valid and a later attempt failed: policy decides again',
      claimant({ joined_call_id: '0-a' }),
      [row({ stands: false }), row({ call_id: '0-c', attempt: 2, state: 'released' })],
      { kind: 'answer_gone' },
    ],
    [
      'may only join and its answer is no longer valid: it never fires',
      claimant({ joined_call_id: '0-a' }),
      [row({ stands: false })],
      { kind: 'answer_gone' },
    ],
    [
      'finds one in doubt whose resources moved since: in doubt all the same',
      claimant(),
      [row({ state: 'in_doubt', stands: false })],
      { kind: 'answer', call_id: '0-a', attempt: 1, end_offset: 5 },
    ],
    ['finds other inputs: refused', claimant(), [row({ digest8: 1 })], { kind: 'refuse', why: 'idempotency_key_reused' }],
    [
      'finds a released attempt of other inputs: the next one',
      claimant(),
      [row({ state: 'released', digest8: 1 })],
      { kind: 'attempt', attempt: 2 },
    ],
    [
      'finds a digest that was lost: not refused for it',
      claimant(),
      [row({ digest8: 0 })],
      { kind: 'answer', call_id: '0-a', attempt: 1, end_offset: 5 },
    ],
    [
      'finds its own row of a claim that got no answer: it had won',
      claimant({ unanswered_epoch: 7 }),
      [row({ call_id: '0-b', state: 'running' })],
      { kind: 'won', attempt: 1 },
    ],
    [
      'finds its own row that another part of this process has: left to it',
      claimant(),
      [row({ call_id: '0-b', state: 'running' })],
      { kind: 'owned_elsewhere' },
    ],
    [
      'finds its own row of another epoch: its owner ends it',
      claimant(),
      [row({ call_id: '0-b', state: 'running', epoch: 6 })],
      { kind: 'owned_elsewhere' },
    ],
    [
      'finds its own end, also under a later attempt',
      claimant(),
      [row({ call_id: '0-b', state: 'released' }), row({ attempt: 2, state: 'released' })],
      { kind: 'ended' },
    ],
    [
      'finds its own tombstone without an end: the end is written',
      claimant(),
      [row({ call_id: '0-b', state: 'released', end_offset: null })],
      { kind: 'tombstoned', attempt: 1 },
    ],
    [
      'may only join: answered by that call even if it released the key',
      claimant({ joined_call_id: '0-a' }),
      [row({ state: 'released' })],
      { kind: 'answer', call_id: '0-a', attempt: 1, end_offset: 5 },
    ],
    [
      'may only join and finds nothing: refused, never fired',
      claimant({ joined_call_id: '0-a' }),
      [],
      { kind: 'refuse', why: 'nothing_to_join' },
    ],
  ] as const)('%s', (_title, given, rows, then) => {
    expect(afterLostClaim(given, rows)).toEqual(then);
  });
});

const recovery = (over: Partial<Recovery> = {}): Recovery => ({
  write: true,
  takes_key: false,
  has_reconcile: false,
  settle_ms: 60,
  settle_is_final: false,
  ...over,
});
describe('a call of a lost executor', () => {
  const orphan = (over: Partial<Orphan> = {}): Orphan => ({
    state: 'running',
    started: true,
    ended: false,
    recovery: recovery(),
    resend_before_ms: 1000,
    now_ms: 120,
    ...over,
  });
  test.each([
    ['with an end on the log is folded', orphan({ ended: true }), { kind: 'fold_end' }],
    ['that never started is fired', orphan({ started: false }), { kind: 'fire' }],
    ['that reads is read again', orphan({ state: 'reading' }), { kind: 'read_again' }],
    [
      'whose system takes the key is sent again',
      orphan({ recovery: recovery({ takes_key: true, has_reconcile: true }) }),
      { kind: 'resend' },
    ],
    [
      'may have fired recently: it is queried after its settle time',
      orphan({ recovery: recovery({ has_reconcile: true }) }),
      { kind: 'reconcile', at_ms: 180 },
    ],
  ])('%s', (_title, given, then) => {
    expect(afterTakeover(given)).toEqual(then);
  });
  test.each([
    ['with neither', orphan()],
    ['of a tool that is not here', orphan({ recovery: null })],
    ['whose key may be forgotten', orphan({ recovery: recovery({ takes_key: true }), resend_before_ms: 110 })],
  ])('%s is in doubt', (_title, given) => {
    expect(afterTakeover(given).kind).toBe('in_doubt');
  });
});
