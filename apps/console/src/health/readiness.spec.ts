import { expect, test } from 'vitest';
import { readinessText, readReadiness } from './readiness.js';

const answering = (status: number, body: unknown) =>
  ({ GET: async () => ({ ...(status < 400 ? { data: body } : { error: body }), response: new Response(null, { status }) }) }) as never;
const read = (status: number, body: unknown) => readReadiness(answering(status, body), new AbortController().signal);

test('a refusal with a readiness is an answer: it says what is not ready', async () => {
  const { data, response } = await read(503, { status: 'log_full' });
  expect([data, response.ok]).toEqual([{ status: 'log_full' }, true]);
});

test('a refusal without a readiness stays a refusal', async () => {
  const { data, response } = await read(502, '<html>');
  expect([data, response.ok]).toEqual([undefined, false]);
});

test('a status that this console does not know is shown as it is', () => {
  expect(readinessText('moon_phase')).toMatchObject({ word: 'moon phase', tone: 'warn' });
  expect(readinessText('constructor').tone).toBe('warn');
});
