import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { actorKeySet, actorToken } from './actor-key.js';

const keys = { tenantKey: (tenant_id: string) => Buffer.alloc(32, tenant_id.length) };
const NOW_MS = 1_700_000_000_999;
const of = { tenant_id: 'acme', agent_id: 'agent-1', audience: 'https://sts.example/token', now_ms: NOW_MS };
const setOf = (tenant_id: string) => createLocalJWKSet(actorKeySet(keys, tenant_id) as unknown as JSONWebKeySet);

test('an actor token is verified with the key set of its tenant, names the acting agent, and is valid for two minutes', async () => {
  const token = await actorToken(keys, of);
  const { payload, protectedHeader } = await jwtVerify(token, setOf('acme'), { currentDate: new Date(NOW_MS) });
  expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: 'actor' });
  const times = { iat: 1_700_000_000, exp: 1_700_000_120 };
  expect(payload).toEqual({ iss: 'urn:countersign:tenant:acme', sub: 'agent-1', aud: of.audience, ...times, jti: expect.any(String) });
});

test('an actor token is invalid after its expiry and with the key of another tenant', async () => {
  const token = await actorToken(keys, of);
  await expect(jwtVerify(token, setOf('acme'), { currentDate: new Date(NOW_MS + 121_000) })).rejects.toThrow('exp');
  await expect(jwtVerify(token, setOf('globex'), { currentDate: new Date(NOW_MS) })).rejects.toThrow('signature');
});

test('header and claims keep the order that token endpoints have received until now', async () => {
  const [head = '', body = ''] = (await actorToken(keys, of)).split('.');
  const textOf = (part: string) => Buffer.from(part, 'base64url').toString();
  expect(textOf(head)).toBe('{"alg":"EdDSA","typ":"JWT","kid":"actor"}');
  expect(Object.keys(JSON.parse(textOf(body)))).toEqual(['iss', 'sub', 'aud', 'iat', 'exp', 'jti']);
});
