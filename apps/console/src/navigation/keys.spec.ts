import { expect, test } from 'vitest';
import { keyStep, type Shortcut } from './keys.js';

const shortcut = (keys: string, label = keys): Shortcut => ({ keys, label, group: 'Test', run: () => undefined });
const all = [shortcut('j'), shortcut('g a'), shortcut('g c'), shortcut('a'), shortcut('j', 'of the list')];

test('a sequence runs when its last key is pressed', () => {
  const first = keyStep(all, [], 'g');
  expect(first).toEqual({ pressed: ['g'] });
  expect(keyStep(all, first.pressed, 'c').run?.keys).toBe('g c');
});

test('a key that continues no sequence counts by itself', () => {
  expect(keyStep(all, ['g'], 'j').run?.keys).toBe('j');
  expect(keyStep(all, ['g'], 'g')).toEqual({ pressed: ['g'] });
  expect(keyStep(all, ['g'], 'x')).toEqual({ pressed: [] });
});

test('the sequence comes before the single key with the same end', () => {
  expect(keyStep(all, ['g'], 'a').run?.keys).toBe('g a');
  expect(keyStep(all, [], 'a').run?.keys).toBe('a');
});

test('of two shortcuts with the same keys the last registered one runs', () => {
  expect(keyStep(all, [], 'j').run?.label).toBe('of the list');
});
