import { expect, test } from 'vitest';
import { hashApiKey, mintApiKey } from './api-key.js';
import { TokenHashes } from './token-hashes.js';

test('a key has its hash, also after others took its place', () => {
  const hashes = new TokenHashes(2);
  const keys = Array.from({ length: 5 }, () => mintApiKey());
  for (const key of [...keys, ...keys]) expect(hashes.hashOf(key)).toBe(hashApiKey(key));
  expect(hashes.hashOf('no key of ours')).toBeUndefined();
});
