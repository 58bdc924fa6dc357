import { expect, test } from 'vitest';
import { CALL_STATUSES } from './call-filters.js';
import { cancelWords, deduplicationWords, effectNowWords, statusWords } from './status-words.js';

test.each(CALL_STATUSES)('%s is explained', (status) => expect(statusWords(status).means).not.toBe(''));

test('only a call that has not ended can be cancelled, and one in doubt cannot', () => {
  expect(CALL_STATUSES.filter((status) => cancelWords(status) !== undefined)).toEqual(['pending_policy', 'pending_approval', 'running']);
});

test('words of a newer gateway leave the texts empty, and are no members of an object', () => {
  expect([statusWords('constructor').means, cancelWords('toString'), effectNowWords('valueOf')]).toEqual(['', undefined, undefined]);
  expect(deduplicationWords('__proto__')).toBe(deduplicationWords(null));
});
