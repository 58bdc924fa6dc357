import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createLocalJWKSet, exportJWK, generateKeyPair, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose';

export const AUDIENCE = 'urn:countersign:tenant:default';
export const CLIENT_SECRET = 'client secret of the broker';

/** A token endpoint (RFC 8693) that also issues users' tokens, and a resource that accepts only tokens for its own audience. */
export class Sts {
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
