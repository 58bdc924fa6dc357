import { describe, expect, test } from 'vitest';
import { OpenQuestions, type Question } from './open-questions.js';

const question: Question = { method: 'elicitation/create', params: { message: 'Sure?' } };

function asking(questions: Record<string, Question>) {
  const open = new OpenQuestions();
  const aborting = new AbortController();
  const answered = open.ask({ call_id: 'call-1', signal: aborting.signal }, questions);
  return { open, aborting, answered };
}

describe('a call that asks', () => {
  test('goes on when every question has an answer, and shows only what is open', async () => {
    const { open, answered } = asking({ first: question, second: question });
    open.answer('call-1', ['first']);
    expect(Object.keys(open.of('call-1') ?? {})).toEqual(['second']);
    open.answer('call-1', ['second']);
    await answered;
    expect(open.of('call-1')).toBeUndefined();
  });

  test('ignores keys that it did not ask for, and answers to other calls', () => {
    const { open } = asking({ first: question });
    open.answer('call-1', ['unknown', '__proto__']);
    open.answer('call-2', ['first']);
    expect(Object.keys(open.of('call-1') ?? {})).toEqual(['first']);
  });

  test('ends when it is aborted, and asks nothing afterwards', async () => {
    const { open, aborting, answered } = asking({ first: question });
    aborting.abort();
    await expect(answered).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(open.of('call-1')).toBeUndefined();
  });
});

test('a call that is aborted already does not wait', async () => {
  await expect(new OpenQuestions().ask({ call_id: 'call-1', signal: AbortSignal.abort() }, { first: question })).rejects.toMatchObject({
    code: 'CANCELLED',
  });
});
