import { expect, test } from 'vitest';
import { type LiveMessage, parseLiveEvent, StreamPlace } from './live-event.js';

const event = (cursor: string): LiveMessage => ({
  type: 'event',
  cursor,
  event: { kind: 'call', id: 'c1', event_type: 'tool_executed', at: '2026-11-27T09:00:00Z' },
});

test('an event that comes twice, by a resumed stream and by another tab, counts once', () => {
  const place = new StreamPlace();
  expect(['1', '2', '1', '2', '3'].map((cursor) => place.accept(event(cursor)))).toEqual([true, true, false, false, true]);
  expect(place.cursor).toBe('3');
});

test('a tab resumes from the last message of any tab', () => {
  const place = new StreamPlace();
  expect(place.cursor).toBeUndefined();
  place.accept({ type: 'ready', cursor: 'r' });
  place.accept({ type: 'state', state: 'cut' });
  expect(place.cursor).toBe('r');
});

test('after a reset cursors may repeat', () => {
  const place = new StreamPlace();
  place.accept(event('1'));
  place.accept({ type: 'reset', cursor: '0' });
  expect([place.cursor, place.accept(event('1'))]).toEqual(['0', true]);
});

test('the memory of handled events is bounded', () => {
  const place = new StreamPlace();
  for (let at = 0; at < 5_000; at++) place.accept(event(String(at)));
  expect([place.accept(event('4999')), place.accept(event('0'))]).toEqual([false, true]);
});

test.each(['', 'null', '1', '[]', '{}', '{"kind":1,"id":"a"}', '{"kind":"call"', '{"kind":"call"}'])('%j is no event', (text) => {
  expect(parseLiveEvent(text)).toBeUndefined();
});

test('fields that this console does not know do not hurt', () => {
  expect(parseLiveEvent('{"kind":"call","id":"a","more":{}}')).toMatchObject({ kind: 'call', id: 'a' });
});
