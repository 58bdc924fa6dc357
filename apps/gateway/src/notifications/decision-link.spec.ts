import { SealedSecrets } from '@countersign/process';
import { expect, test } from 'vitest';
import { DecisionLinks } from './decision-link.js';

const keys = { tenantKey: (tenant_id: string) => Buffer.alloc(32, tenant_id) };
const at = (now_ms: number) => new DecisionLinks(keys, 'https://gate.example', () => now_ms);
const claims = { tenant_id: 'acme', approval_id: '0-x.1', webhook_id: 'w', expires_at_ms: 1000 };

test('a link returns its claims until it expires, and then reports the expiry', () => {
  const token = new URL(at(0).link(claims)).searchParams.get('token') as string;
  expect(at(999).read(token)).toEqual({ claims, expired: false });
  expect(at(1000).read(token)).toEqual({ claims, expired: true });
});

test('a token with any changed byte is invalid', () => {
  const token = at(0).token(claims);
  for (let i = 0; i < token.length - 1; i++) {
    const other = token[i] === 'A' ? 'B' : 'A';
    const read = at(0).read(`${token.slice(0, i)}${other}${token.slice(i + 1)}`);
    expect(read).toBeUndefined();
  }
});

test('an encrypted secret can be decrypted only for its tenant and webhook, and is not readable where it is stored', () => {
  const secrets = new SealedSecrets(keys);
  const secret = secrets.mint();
  const sealed = secrets.seal('acme', 'w1', secret);
  expect(secrets.open('acme', 'w1', sealed)).toBe(secret);
  expect([secrets.open('evil', 'w1', sealed), secrets.open('acme', 'w2', sealed), secrets.open('acme', 'w1', 'AAAA')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain(secret.slice(6));
  expect(secrets.seal('acme', 'w1', secret)).not.toBe(sealed);
});
