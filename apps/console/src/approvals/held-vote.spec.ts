import { expect, test } from 'vitest';
import { UNREACHABLE } from '../gateway/answer.js';
import type { CastAnswer } from './cast-vote.js';
import { type HeldEvent, type HeldState, type HeldVote, keptOf, nextHeld } from './held-vote.js';

const vote: HeldVote = { approval_id: 'a.1', body: { vote: 'approve' }, sentence: 'Pay 5', held_at_ms: 1_000 };
const counted = { ok: true, approval: { approval_id: 'a.1', status: 'granted' }, is_judged: true } as unknown as CastAnswer;
const refused = (status: number) => ({ ok: false, problem: { ...UNREACHABLE, status } }) as CastAnswer;
const hold: HeldEvent = { type: 'hold', vote, hold_ms: 5_000 };

const after = (...events: HeldEvent[]): HeldState => events.reduce<HeldState>(nextHeld, { kind: 'none' });

test('a vote is held until its time is over, then sent, then answered', () => {
  expect(after(hold)).toEqual({ kind: 'held', vote, due_at_ms: 6_000 });
  expect(after(hold, { type: 'send' })).toEqual({ kind: 'sending', vote });
  expect(after(hold, { type: 'send' }, { type: 'answer', answer: counted })).toEqual({ kind: 'answered', vote, answer: counted });
});

test('undo takes back a held vote, and never one that is on its way', () => {
  expect(after(hold, { type: 'undo' })).toEqual({ kind: 'none' });
  expect(after(hold, { type: 'send' }, { type: 'undo' }).kind).toBe('sending');
});

test('without a time to hold a vote is sent at once', () => {
  expect(after({ type: 'hold', vote, hold_ms: 0 }).kind).toBe('sending');
});

test('a second vote neither replaces nor doubles one that is held or on its way', () => {
  const other: HeldEvent = { type: 'hold', vote: { ...vote, body: { vote: 'deny' } }, hold_ms: 0 };
  expect(after(hold, other)).toEqual(after(hold));
  expect(after(hold, { type: 'send' }, other)).toEqual({ kind: 'sending', vote });
});

test.each([0, 401, 429, 500, 503])('an answer %i leaves the vote unsent: it is kept and can be sent again', (status) => {
  const state = after(hold, { type: 'send' }, { type: 'answer', answer: refused(status) });
  expect(state.kind).toBe('unsent');
  expect(keptOf(state)).toEqual(vote);
  expect(nextHeld(state, { type: 'send' }).kind).toBe('sending');
});

test.each([400, 403, 404, 409])('an answer %i ends the vote: nothing is kept', (status) => {
  const state = after(hold, { type: 'send' }, { type: 'answer', answer: refused(status) });
  expect([state.kind, keptOf(state)]).toEqual(['answered', undefined]);
});

test('a vote is kept in every state before its answer', () => {
  for (const events of [[hold], [hold, { type: 'send' }], [{ type: 'found', vote }]] as HeldEvent[][])
    expect(keptOf(after(...events))).toEqual(vote);
});

test('what an earlier page left behind does not replace what is going on', () => {
  expect(after(hold, { type: 'found', vote: { ...vote, body: { vote: 'deny' } } })).toEqual(after(hold));
});

test('a vote on its way cannot be dropped', () => {
  expect(after(hold, { type: 'send' }, { type: 'drop' }).kind).toBe('sending');
  expect(after({ type: 'found', vote }, { type: 'drop' }).kind).toBe('none');
});
