import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';

export const CLIENT_ID = 'console';
export const CLIENT_SECRET = 'secret-of-the-console-client';

/** A real OpenID provider (npm oidc-provider) with the code flow. Its login page asks nothing: it signs `account` in. */
export class OpenIdLogin {
  account = 'alice';
  /** Values of the claim `groups`. */
  groups: string[] = ['staff'];

  private constructor(
    readonly issuer: string,
    private readonly server: Server,
  ) {}

  static async open(callback: string, signing: Record<string, unknown>): Promise<OpenIdLogin> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const login = new OpenIdLogin(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
    const provider = new Provider(login.issuer, login.settings(callback, signing));
    const serve = provider.callback();
    server.on('request', (request, response) => {
      if (request.url?.startsWith('/interaction/')) void login.interact(provider, request, response);
      else void serve(request, response);
    });
    return login;
  }

  /** Goes through the login of the provider as a browser does. @returns the address of the gateway to which it sends the browser. */
  async login(authorize_url: string): Promise<string> {
    const cookies = new Map<string, string>();
    let url = authorize_url;
    for (let hop = 0; hop < 10 && url.startsWith(this.issuer); hop++) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const set of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        cookies.set(name, value);
      }
      const next = answer.headers.get('location');
      if (next === null) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
      url = new URL(next, url).href;
    }
    return url;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  private settings(callback: string, signing: Record<string, unknown>): Configuration {
    return {
      jwks: { keys: [signing] as never },
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: CLIENT_SECRET,
          redirect_uris: [callback],
          response_types: ['code'],
          grant_types: ['authorization_code'],
          id_token_signed_response_alg: 'ES256',
          token_endpoint_auth_method: 'client_secret_basic',
        },
      ],
      pkce: { required: () => true },
      claims: { openid: ['sub', 'groups'] },
      conformIdTokenClaims: false,
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId, groups: this.groups }) }),
      cookies: { keys: ['only-a-test'] },
    };
  }

  private async interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login') {
      await provider.interactionFinished(request, response, { login: { accountId: this.account } }, { mergeWithLastSubmission: false });
      return;
    }
    const grant = new provider.Grant({ accountId: session?.accountId as string, clientId: params.client_id as string });
    grant.addOIDCScope('openid');
    const grantId = await grant.save();
    await provider.interactionFinished(request, response, { consent: { grantId } }, { mergeWithLastSubmission: true });
  }
}
