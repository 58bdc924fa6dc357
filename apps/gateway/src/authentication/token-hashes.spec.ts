import { expect, test } from 'vitest';
import { hashApiKey, mintApiKey } from './api-key.js';
import { TokenHashes } from './token-hashes.js';

test('a key keeps its hash, also after its eviction', () => {
  const hashes = new TokenHashes(2);
  const keys = Array.from({ length: 5 }, () => mintApiKey());
  for (const key of [...keys, ...keys]) expect(hashes.hashOf(key)).toBe(hashApiKey(key));
  expect(hashes.hashOf('no key of ours')).toBeUndefined();
});
