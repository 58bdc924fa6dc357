import { randomBytes } from 'node:crypto';
import { sha256Hex } from '@countersign/contracts';

const SHAPE = /^csk_[A-Za-z0-9_-]{43}$/;

/** A new API key: 256 random bits. Shown once; only its hash is recorded. */
export function mintApiKey(): string {
  return `csk_${randomBytes(32).toString('base64url')}`;
}

export function isApiKey(text: string): boolean {
  return SHAPE.test(text);
}

export const hashApiKey = (key: string): string => sha256Hex(key);

/** The visible prefix of a key: 8 of its 43 random characters, which leaves 208 secret bits. */
export const prefixOf = (key: string): string => key.slice(0, 12);
