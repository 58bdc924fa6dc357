import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export const AUDIENCE = 'urn:countersign:tenant:default';

/** A signing key of a provider. */
export function signingKey(kid: string): { private: KeyObject; jwk: Record<string, unknown> } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { private: privateKey, jwk: { ...privateKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' } };
}

/** A real OpenID provider (npm oidc-provider) on loopback. The client id becomes the subject: `alice` gets a token for alice. */
export class OpenId {
  private constructor(
    readonly issuer: string,
    private readonly server: Server,
  ) {}

  /** `keys`: its signing keys, the first for new tokens. */
  static async open(subjects: readonly string[], keys: readonly Record<string, unknown>[], port?: number): Promise<OpenId> {
    const server = createServer().listen(port ?? 0, '127.0.0.1');
    await once(server, 'listening');
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const provider = new Provider(issuer, {
      jwks: { keys: [...keys] as never },
      clients: subjects.map((client_id) => ({
        client_id,
        client_secret: 'secret-of-a-test',
        redirect_uris: [],
        response_types: [],
        grant_types: ['client_credentials'],
        id_token_signed_response_alg: 'ES256',
      })),
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => AUDIENCE,
          getResourceServerInfo: (_ctx, resource) => ({
            scope: 'notes:read notes:write',
            audience: resource,
            accessTokenFormat: 'jwt',
            accessTokenTTL: 300,
            jwt: { sign: { alg: 'ES256' } },
          }),
        },
      },
      extraTokenClaims: (_ctx, token) => ({ roles: ['staff'], clearances: ['pii'], whose: (token as { clientId?: string }).clientId }),
      cookies: { keys: ['only-a-test'] },
    });
    server.on('request', provider.callback());
    return new OpenId(issuer, server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async token(subject: string, resource = AUDIENCE, scope = 'notes:read'): Promise<string> {
    const response = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${subject}:secret-of-a-test`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope, resource }),
    });
    const body = (await response.json()) as { access_token?: string };
    if (!body.access_token) throw new Error(`no token: ${JSON.stringify(body)}`);
    return body.access_token;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }
}
