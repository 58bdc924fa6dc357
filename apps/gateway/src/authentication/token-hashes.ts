import { LRUCache } from 'lru-cache';
import { hashApiKey, isApiKey } from './api-key.js';

/** Caches the hashes of tokens in use, so that a call does not pay for SHA-256. The rights of a hash are looked up each time. */
export class TokenHashes {
  private readonly known: LRUCache<string, string>;

  constructor(tokens_max = 10_000) {
    this.known = new LRUCache({ max: tokens_max });
  }

  /** Undefined if the token cannot be an API key. */
  hashOf(token: string): string | undefined {
    const known = this.known.get(token);
    if (known !== undefined) return known;
    if (!isApiKey(token)) return undefined;
    const hash = hashApiKey(token);
    this.known.set(token, hash);
    return hash;
  }
}
