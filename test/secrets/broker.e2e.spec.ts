import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLocalJWKSet, decodeJwt, exportJWK, generateKeyPair, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose';
import type { Api } from '../journeys/api.js';
import { EmbeddedPlatform } from '../journeys/embedded-platform.js';

const AUDIENCE = 'urn:countersign:tenant:default';
const CLIENT_SECRET = 'client secret of the broker';

/** A token endpoint (RFC 8693) that issues users' tokens too, and a resource that takes only tokens of its own audience. */
class Sts {
  readonly exchanges: Record<string, string>[] = [];
  readonly actors: unknown[] = [];
  readonly seen: string[] = [];
  refuse: { status: number; error: string } | undefined;
  lives_s = 300;
  private server!: Server;
  private keys!: Awaited<ReturnType<typeof generateKeyPair>>;
  platform_url = '';

  async open(): Promise<void> {
    this.keys = await generateKeyPair('ES256');
    this.server = createServer((request, response) => void this.answer(request, response));
    await new Promise<void>((listening) => this.server.listen(0, '127.0.0.1', listening));
  }
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as { port: number }).port}`;
  }
  close(): void {
    this.server.close();
  }

  sign(claims: Record<string, unknown>, audience: string, expires: string): Promise<string> {
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'sts' })
      .setIssuer(this.url)
      .setAudience(audience)
      .setIssuedAt()
      .setJti(String(Math.random()))
      .setExpirationTime(expires)
      .sign(this.keys.privateKey);
  }
  user(sub: string, expires = '5m'): Promise<string> {
    return this.sign({ sub }, AUDIENCE, expires);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const jwks = { keys: [{ ...(await exportJWK(this.keys.publicKey)), kid: 'sts', alg: 'ES256' }] } as JSONWebKeySet;
    if (request.url === '/jwks') return void send(200, jwks);
    if (request.url === '/token')
      return void this.exchange(request, Object.fromEntries(new URLSearchParams(Buffer.concat(parts).toString())), jwks, send);
    const token = request.headers.authorization?.slice(7) ?? '';
    this.seen.push(token);
    const verified = await jwtVerify(token, createLocalJWKSet(jwks), { audience: 'erp' }).catch(() => undefined);
    return void send(verified ? 200 : 401, verified?.payload ?? { error: 'invalid_token', token });
  }

  private async exchange(
    request: IncomingMessage,
    form: Record<string, string>,
    jwks: JSONWebKeySet,
    send: (status: number, body: unknown) => void,
  ) {
    this.exchanges.push(form);
    const basic = Buffer.from((request.headers.authorization ?? '').slice(6), 'base64').toString();
    if (basic !== `broker:${encodeURIComponent(CLIENT_SECRET)}`) return send(401, { error: 'invalid_client' });
    if (this.refuse) return send(this.refuse.status, { error: this.refuse.error });
    const subject = await jwtVerify(form.subject_token ?? '', createLocalJWKSet(jwks), { audience: AUDIENCE });
    const keys = (await (await fetch(`${this.platform_url}/v1/actor-keys/default`)).json()) as JSONWebKeySet;
    const actor = await jwtVerify(form.actor_token ?? '', createLocalJWKSet(keys), { audience: `${this.url}/token`, issuer: AUDIENCE });
    this.actors.push(actor.payload);
    const claims = { sub: subject.payload.sub, act: { sub: actor.payload.sub }, scope: form.scope };
    const access_token = await this.sign(claims, form.audience ?? '', `${this.lives_s}s`);
    return send(200, { access_token, issued_token_type: form.requested_token_type, token_type: 'Bearer', expires_in: this.lives_s });
  }
}

const sts = new Sts();
let platform: EmbeddedPlatform;
let admin: Api;
let agent: Api;
beforeAll(async () => {
  await sts.open();
  platform = await EmbeddedPlatform.start({ COUNTERSIGN_IDENTITY_ALLOW_PRIVATE: 'true' });
  sts.platform_url = platform.base;
  admin = platform.admin();
  agent = await admin.keyFor('agent', 'bot', ['agent']);
  const provider = { issuer: sts.url, jwks_uri: `${sts.url}/jwks`, audiences: [AUDIENCE], algorithms: ['ES256'] };
  expect((await admin.request('PUT', '/v1/identity-providers/sts', provider)).status).toBe(200);
  expect((await admin.request('PUT', '/v1/secrets/workspace/broker_secret', { value: CLIENT_SECRET })).status).toBe(201);
  const exchange = {
    token_endpoint: `${sts.url}/token`,
    client_id: 'broker',
    client_secret: 'broker_secret',
    audience: 'erp',
    scopes: ['orders'],
  };
  expect((await admin.request('PUT', '/v1/token-exchanges/probe_token', exchange)).status).toBe(200);
}, 60_000);
afterAll(async () => {
  await platform?.close();
  sts.close();
});

let serial = 0;
const call = (user_token?: string, by = agent) =>
  by.request<Record<string, unknown>>('POST', '/v1/calls', {
    tool: 'probe_token',
    inputs: { url: `${sts.url}/orders?n=${serial++}` },
    ...(user_token ? { user_token } : {}),
  });

test("a tool gets a short-lived token of the user's with the agent as its actor; neither's own token goes anywhere", async () => {
  const user_token = await sts.user('alice');
  const { body } = await call(user_token);
  expect(body).toMatchObject({ status: 'succeeded', on_behalf_of: { id: 'alice' }, output: { status: 200 } });
  expect(body.credentials).toEqual([{ name: 'probe_token', scope: 'exchanged', version: 1 }]);
  const seen = JSON.parse((body.output as { body: string }).body) as Record<string, unknown>;
  expect(seen).toMatchObject({ sub: 'alice', act: { sub: 'bot' }, aud: 'erp', scope: 'orders' });
  expect((seen.exp as number) - (seen.iat as number)).toBeLessThanOrEqual(300);
  expect(sts.exchanges.at(-1)).toMatchObject({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: user_token,
    actor_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    audience: 'erp',
  });
  expect(sts.actors.at(-1)).toMatchObject({ sub: 'bot', iss: AUDIENCE });
  expect(JSON.stringify(sts.exchanges)).not.toContain(agent.key);
  expect(sts.seen).not.toContain(user_token);
  expect(decodeJwt(sts.seen.at(-1) as string).act).toEqual({ sub: 'bot' });
});

test('a token is kept for its user and agent until shortly before it expires, and for nobody else', async () => {
  const before = sts.exchanges.length;
  const alice = await sts.user('alice');
  await Promise.all(Array.from({ length: 10 }, () => call(alice)));
  expect(sts.exchanges.length).toBe(before); // kept from the first test: same tenant, user, agent, audience
  const bob = await sts.user('bob');
  const answers = await Promise.all(Array.from({ length: 10 }, () => call(bob)));
  expect(sts.exchanges.length).toBe(before + 1);
  for (const { body } of answers) expect((body.output as { body: string }).body).toContain('"bob"');
  const other = await admin.keyFor('agent', 'other-bot', ['agent']);
  expect(((await call(bob, other)).body.output as { body: string }).body).toContain('"other-bot"');
  expect(sts.exchanges.length).toBe(before + 2);
  sts.lives_s = 2;
  const carol = await sts.user('carol');
  await call(carol);
  await new Promise((later) => setTimeout(later, 1_700));
  await call(carol);
  expect(sts.exchanges.length).toBe(before + 4);
  sts.lives_s = 300;
}, 30_000);

test('an absent, refused or expired token is AUTH_REQUIRED with no effect, and says what to issue anew', async () => {
  const reissue = async (answer: ReturnType<typeof call>) => {
    const { body } = await answer;
    expect(body).toMatchObject({ status: 'failed', effect: 'none', error: { code: 'AUTH_REQUIRED' } });
    return (body.error as { details: { reissue: { what: string; reason: string }[] } }).details.reissue[0];
  };
  expect(await reissue(call())).toMatchObject({ what: 'user_token', reason: 'absent' });
  sts.refuse = { status: 400, error: 'invalid_grant' };
  expect(await reissue(call(await sts.user('dora')))).toMatchObject({ what: 'user_token', reason: 'refused' });
  sts.refuse = undefined;
  expect((await call(await sts.user('eve', '-10s'))).status).toBe(400); // an expired token is not taken at all
  await admin.request('PUT', '/v1/policies/tools/probe_token', { tier: 'tier_2_approval_required' });
  const waiting = await call(await sts.user('fay', '2s'));
  expect(waiting.status).toBe(202);
  const approver = await admin.keyFor('user', 'ann', ['approver']);
  await new Promise((later) => setTimeout(later, 2_500));
  await approver.request('POST', `/v1/approvals/${(waiting.body.approval as { approval_id: string }).approval_id}/votes`, {
    vote: 'approve',
  });
  const end = await agent.callUntil(waiting.body.call_id as string, ({ status }) => status === 'failed');
  expect(end.error).toMatchObject({ code: 'AUTH_REQUIRED', details: { reissue: [{ what: 'user_token', reason: 'expired' }] } });
  await admin.request('DELETE', '/v1/policies/tools/probe_token');
}, 30_000);

test('a token endpoint that is away is a fault of the network, which may be tried again', async () => {
  sts.refuse = { status: 503, error: 'busy' };
  expect((await call(await sts.user('gil'))).body).toMatchObject({ status: 'failed', error: { code: 'NETWORK_ERROR', retryable: true } });
  sts.refuse = undefined;
});

test('a token that a resource gives back is masked', async () => {
  const exchange = { token_endpoint: `${sts.url}/token`, client_id: 'broker', client_secret: 'broker_secret', audience: 'not-erp' };
  await admin.request('PUT', '/v1/token-exchanges/probe_token', exchange);
  const { body } = await call(await sts.user('alice'));
  expect(body.output).toMatchObject({ status: 401, body: expect.stringContaining('"token":"[secret]"') });
  expect(JSON.stringify(body)).not.toContain(sts.seen.at(-1));
});
