import { expect, test } from 'vitest';
import type { Session } from '../gateway/session.js';
import { errorText, reasonText } from './errors.js';
import { mayAnswer, mayControl, mayDecideTickets } from './rights.js';
import { asksForValue, waitText, writtenAnswer } from './wait-answer.js';

test('an answer is JSON or nothing; what is neither says why', () => {
  expect(writtenAnswer(' ')).toEqual({ ok: true, value: undefined });
  expect(writtenAnswer('{"a": [1]}')).toEqual({ ok: true, value: { a: [1] } });
  expect(writtenAnswer('yes')).toMatchObject({ ok: false, message: expect.stringContaining('no JSON') });
  expect(writtenAnswer(`"${'ä'.repeat(40_000)}"`)).toMatchObject({ ok: false, message: expect.stringContaining('64 KiB') });
});

test('an approval asks for a value only if the definition describes one', () => {
  expect(asksForValue({ wait: 'approval', answer_schema: null })).toBe(false);
  expect(asksForValue({ wait: 'approval', answer_schema: {} })).toBe(true);
  expect(asksForValue({ wait: 'manual', answer_schema: null })).toBe(true);
  expect(waitText({ wait: 'event', question: null, event: 'shipped', step_id: 'w' })).toBe('shipped');
});

test('what the gateway would refuse is not offered', () => {
  const as = (kind: string, id: string, ...roles: string[]) => ({ principal: { kind, id, roles } }) as Session;
  const saga = { started_by: { kind: 'agent', id: 'bot' } as const, on_behalf_of: 'ann' };
  expect([mayControl(as('user', 'ann', 'approver'), saga), mayControl(as('user', 'bot', 'approver'), saga)]).toEqual([true, false]);
  expect(mayControl(as('user', 'x', 'operator'), saga)).toBe(true);
  expect([mayDecideTickets(as('agent', 'x', 'operator')), mayDecideTickets(as('user', 'x', 'admin'))]).toEqual([false, true]);
  expect([mayAnswer(as('user', 'x', 'approver'), { wait: 'event' }), mayAnswer(as('user', 'x', 'approver'), { wait: 'manual' })]).toEqual([
    false,
    true,
  ]);
});

test('a reason of the platform is shown in words; what a person wrote stays as it is', () => {
  expect([reasonText('step_failed'), reasonText('Wrong_item, see ticket')]).toEqual(['Why: step failed', 'Wrong_item, see ticket']);
});

test('an error that is no CallError has no text', () => {
  expect([errorText({ code: 'X', message: 'y' }), errorText({ message: 7 }), errorText('x'), errorText(null)]).toEqual([
    'X: y',
    undefined,
    undefined,
    undefined,
  ]);
});
