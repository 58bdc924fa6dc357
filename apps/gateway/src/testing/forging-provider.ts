import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { signingKey } from './open-id.js';

/** What a forged ID token says instead of the truth. */
export interface Forgery {
  nonce?: string;
  issuer?: string;
  audience?: string;
  expires?: string;
  subject?: string;
  /** Signed with a key that the provider does not publish. */
  unknown_key?: boolean;
  algorithm?: 'none';
}

/** An OpenID provider that answers each code with an ID token as told: a provider that was taken over. */
export class ForgingProvider {
  forgery: Forgery = {};
  private readonly known = signingKey('known');
  private readonly unknown = signingKey('known');

  private constructor(
    readonly issuer: string,
    private readonly server: Server,
  ) {}

  static async open(): Promise<ForgingProvider> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const provider = new ForgingProvider(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
    server.on('request', (request, response) => {
      void provider.answer(request.url ?? '').then((body) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
    return provider;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  private async answer(url: string): Promise<object> {
    const { issuer } = this;
    const { d: _private, ...jwk } = this.known.jwk;
    if (url.startsWith('/jwks')) return { keys: [jwk] };
    if (url.startsWith('/token'))
      return { access_token: 'an-access-token', token_type: 'Bearer', expires_in: 60, id_token: await this.idToken() };
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      id_token_signing_alg_values_supported: ['ES256'],
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
    };
  }

  private async idToken(): Promise<string> {
    const { nonce, issuer = this.issuer, audience = 'console', expires = '5m', subject = 'mallory', unknown_key, algorithm } = this.forgery;
    const claims = { groups: ['staff'], ...(nonce === undefined ? {} : { nonce }) };
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'known' })
      .setIssuer(issuer)
      .setSubject(subject)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(expires)
      .sign((unknown_key ? this.unknown : this.known).private);
    if (algorithm === undefined) return token;
    return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`;
  }
}
