import { expect, test } from 'vitest';
import type { CastAnswer, VoteProblem } from './cast-vote.js';
import { voteWords } from './vote-words.js';

const ask = { approval_id: 'a.1', vote: 'approve' as const, me: 'ann' };
const answered = (more: object, is_judged = true) =>
  ({ ok: true, is_judged, approval: { approval_id: 'a.1', status: 'pending', parts: [], ...more } }) as unknown as CastAnswer;
const refused = (problem: Partial<VoteProblem>) => ({ ok: false, problem: { title: 'Refused', detail: '', ...problem } }) as CastAnswer;

test('the last approval says that the call runs; an earlier one how many are missing', () => {
  expect(voteWords(ask, answered({ status: 'granted' }))).toMatchObject({ title: 'Approved', tone: 'good' });
  expect(voteWords(ask, answered({ parts: [{ quorum: 3, approvals: 1 }] })).text).toBe('2 more must agree.');
});

test('202 says that the vote does not count yet', () => {
  expect(voteWords(ask, answered({}, false)).title).toBe('Recorded, not counted yet');
});

test('an edit leads to the request that follows', () => {
  expect(voteWords({ ...ask, vote: 'edit' }, answered({ approval_id: 'a.2' })).next_id).toBe('a.2');
});

test('a lost race names who was faster, and when', () => {
  const lost = { status: 409, approval_status: 'denied', decided_by: 'bob', decided_at: '2026-01-01T10:00:00Z' };
  const words = voteWords(ask, refused(lost));
  expect(words.title).toBe('bob was faster');
  expect(words.text).toMatch(/^bob denied it at .*\d\d:\d\d/);
});

test('a vote that is sent twice and had arrived is no lost race', () => {
  expect(voteWords(ask, refused({ status: 409, approval_status: 'granted', decided_by: 'ann' }))).toMatchObject({
    title: 'Approved',
    text: 'Your vote had arrived already.',
  });
});

test('several people who were faster are all named, and a vote of mine among them had arrived', () => {
  const lost = { status: 409, approval_status: 'granted', decided_by: 'bob, carl' };
  expect(voteWords(ask, refused(lost)).title).toBe('bob, carl were faster');
  expect(voteWords(ask, refused({ ...lost, decided_by: 'bob, ann' })).title).toBe('Approved');
});

test('a request that ended by itself names no person', () => {
  expect(voteWords(ask, refused({ status: 409, approval_status: 'expired', decided_by: null })).text).toMatch(/^It expired/);
});

test.each([
  [{ status: 0 }, 'No connection'],
  [{ status: 401 }, 'Your session has ended'],
  [{ status: 403, refusal: 'four_eyes' }, 'Four eyes'],
  [{ status: 403 }, 'You may not decide this'],
  [{ status: 409, refusal: 'twice' }, 'You have voted already'],
  [{ status: 503 }, 'The gateway could not take your vote'],
])('%j is said in words', (problem, title) => {
  expect(voteWords(ask, refused(problem)).title).toBe(title);
});
