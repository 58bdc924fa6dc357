import { expect, test } from 'vitest';
import { issueWords } from './issue-words.js';

test.each([
  ['Too small: expected string to have >=1 characters', 'Fill this in.'],
  ['is required: send exactly one of `expires_at` and `until`', 'Fill this in.'],
  ['Too small: expected array to have >=1 items', 'At least one is needed.'],
  ['Too big: expected string to have <=100 characters', 'At most 100 characters.'],
  ['Invalid option: expected one of "agent"|"admin"', 'One of agent, admin.'],
  ['at least 8 characters: a shorter one cannot be masked', 'At least 8 characters: a shorter one cannot be masked'],
])('a person reads in place of %s: %s', (message, words) => {
  expect(issueWords(message)).toBe(words);
});

test('a message is bounded', () => {
  expect(issueWords('x'.repeat(10_000))).toHaveLength(300);
});
