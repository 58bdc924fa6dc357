import { expect, test } from 'vitest';
import { SparseIndex } from './sparse-index.js';

function sample(): SparseIndex {
  const index = new SparseIndex(100);
  index.note(40, Float64Array.of(0, 5));
  index.note(200, Float64Array.of(3, 5));
  index.note(420, Float64Array.of(3, 9, 1));
  return index;
}

test('finds the one chunk that can hold an offset, also of a stream that was created later', () => {
  const index = sample();
  expect([0, 2, 3, 100].map((offset) => index.find(0, offset))).toEqual([0, 0, 2, 2]);
  expect([5, 8, 9].map((offset) => index.find(1, offset))).toEqual([1, 1, 2]);
  expect([0, 1].map((offset) => index.find(2, offset))).toEqual([1, 2]);
});

test('notes positions about chunk_bytes apart, and fewer for wide tables', () => {
  const index = sample();
  expect([519, 520].map((position) => index.wants(position, 0))).toEqual([false, true]);
  expect([420 + 511, 420 + 512].map((position) => index.wants(position, 1))).toEqual([false, true]);
});

test('is restored from its file, and damage or another segment length is detected', () => {
  const bytes = sample().encode(999);
  expect(SparseIndex.decode(bytes, 999, 100)?.chunks).toEqual(sample().chunks);
  expect(SparseIndex.decode(bytes, 998, 100)).toBeNull();
  for (let at = 0; at < bytes.length; at++) {
    const flipped = Buffer.from(bytes);
    flipped[at]! ^= 16;
    expect(SparseIndex.decode(flipped, 999, 100)).toBeNull();
    expect(SparseIndex.decode(bytes.subarray(0, at), 999, 100)).toBeNull();
  }
});
