import type { Wait } from './saga.js';

/** The API takes 64 KiB of JSON. */
const ANSWER_BYTES_MAX = 65_536;

/** What a person wrote as an answer: JSON, nothing, or why it is none. */
export type WrittenAnswer = { ok: true; value: unknown } | { ok: false; message: string };

export function writtenAnswer(text: string): WrittenAnswer {
  if (text.trim() === '') return { ok: true, value: undefined };
  if (new TextEncoder().encode(text).length > ANSWER_BYTES_MAX)
    return { ok: false, message: 'This is longer than 64 KiB. Store it elsewhere, and answer with where it is.' };
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (cause) {
    return {
      ok: false,
      message: `This is no JSON: ${cause instanceof Error ? cause.message : 'unknown cause'}. Text stands in quotation marks.`,
    };
  }
}

/** Words of the two ways to answer a wait. */
export const ANSWER_WORDS: Readonly<Record<'approval' | 'event' | 'manual', { yes: string; no: string; done: string }>> = {
  approval: { yes: 'Approve', no: 'Refuse', done: 'Approved' },
  event: { yes: 'Report the event', no: 'Report that it will not happen', done: 'Event reported' },
  manual: { yes: 'Give the result', no: 'It cannot be done', done: 'Result given' },
};

/** What the wait asks for, in words. */
export function waitText({ wait, question, event, step_id }: Pick<Wait, 'wait' | 'question' | 'event' | 'step_id'>): string {
  if (wait === 'event') return event ?? step_id;
  if (wait === 'time') return 'Goes on by itself';
  if (wait === 'call_approval') return 'The call of this step waits for its approval';
  return question ?? step_id;
}

/** Whether a person answers this wait on the page of the saga. */
export const takesAnswer = (wait: Wait): wait is Wait & { wait: 'approval' | 'event' | 'manual' } => wait.answer_at !== null;

/** Whether the dialog asks for an answer besides the decision. */
export const asksForValue = ({ wait, answer_schema }: Pick<Wait, 'wait' | 'answer_schema'>): boolean =>
  wait !== 'approval' || answer_schema !== null;
