import type { IdentityProvider } from '@countersign/domain';
import { exchangeText, type OutboundDoor } from '@countersign/outbound';
import type { Configuration, ServerMetadata } from 'openid-client';

const KNOWN_MS = 600_000;
const TIMEOUT_S = 5;
const TOLERANCE_S = 5;

type SignInProvider = Pick<IdentityProvider, 'issuer' | 'algorithms' | 'sign_in'>;
type Library = typeof import('openid-client');

/** What a code flow remembers between its two requests. */
export interface FlowSecrets {
  state: string;
  nonce: string;
  code_verifier: string;
}

/** The verified claims of an ID token. */
export type IdClaims = Readonly<Record<string, unknown>> & { iat: number };

/** The authorization code flow with PKCE (OpenID Connect). Every request goes through the outbound door. */
export class OpenIdClient {
  private readonly servers = new WeakMap<SignInProvider, { server: Promise<ServerMetadata>; at_ms: number }>();

  constructor(
    private readonly door: OutboundDoor,
    private readonly monotonic_ms: () => number,
  ) {}

  /** The address to which the browser goes to sign in. @throws Error if the provider is unavailable or its metadata is not valid. */
  async start(provider: SignInProvider, redirect_uri: string): Promise<{ url: string; secrets: FlowSecrets }> {
    const library = await import('openid-client');
    const configuration = await this.configurationOf(library, provider, null);
    const secrets = { state: library.randomState(), nonce: library.randomNonce(), code_verifier: library.randomPKCECodeVerifier() };
    const url = library.buildAuthorizationUrl(configuration, {
      redirect_uri,
      scope: [...new Set(['openid', ...(provider.sign_in?.scopes ?? [])])].join(' '),
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge: await library.calculatePKCECodeChallenge(secrets.code_verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, secrets };
  }

  /**
   * Exchanges the code of the address to which the browser returned. Checks state, `iss`, nonce and PKCE, and of the ID token the issuer,
   * audience, algorithm, signature and times. @throws Error if one of them is wrong or the provider is unavailable.
   */
  async finish(provider: SignInProvider, returned: URL, secrets: FlowSecrets, client_secret: string | null): Promise<IdClaims> {
    const library = await import('openid-client');
    const configuration = await this.configurationOf(library, provider, client_secret);
    const tokens = await library.authorizationCodeGrant(configuration, returned, {
      pkceCodeVerifier: secrets.code_verifier,
      expectedState: secrets.state,
      expectedNonce: secrets.nonce,
      idTokenExpected: true,
    });
    const { decodeProtectedHeader } = await import('jose');
    const { alg } = decodeProtectedHeader(tokens.id_token as string);
    if (!provider.algorithms.includes(alg as string)) throw new Error(`the algorithm ${alg} of the ID token is not allowed`);
    return tokens.claims() as IdClaims;
  }

  private async configurationOf(library: Library, provider: SignInProvider, client_secret: string | null): Promise<Configuration> {
    const server = await this.serverOf(library, provider);
    const methods = server.token_endpoint_auth_methods_supported;
    const withSecret = methods && !methods.includes('client_secret_basic') ? library.ClientSecretPost : library.ClientSecretBasic;
    const authentication = client_secret === null ? library.None() : withSecret(client_secret);
    const client_id = provider.sign_in?.client_id as string;
    const configuration = new library.Configuration(server, client_id, { [library.clockTolerance]: TOLERANCE_S }, authentication);
    configuration[library.customFetch] = this.fetch;
    configuration.timeout = TIMEOUT_S;
    if (isPlain(provider)) library.allowInsecureRequests(configuration);
    library.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  private serverOf(library: Library, provider: SignInProvider): Promise<ServerMetadata> {
    const now_ms = this.monotonic_ms();
    const known = this.servers.get(provider);
    if (known && now_ms - known.at_ms < KNOWN_MS) return known.server;
    const server = this.discovered(library, provider);
    this.servers.set(provider, { server, at_ms: now_ms });
    server.catch(() => this.servers.delete(provider));
    return server;
  }

  private async discovered(library: Library, provider: SignInProvider): Promise<ServerMetadata> {
    const client_id = provider.sign_in?.client_id as string;
    const found = await library.discovery(new URL(provider.issuer), client_id, undefined, undefined, {
      [library.customFetch]: this.fetch,
      timeout: TIMEOUT_S,
      // The outbound door allows plain http only where the operator does.
      execute: isPlain(provider) ? [library.allowInsecureRequests] : [],
    });
    const server = found.serverMetadata();
    if (server.issuer !== provider.issuer) throw new Error('its discovery document belongs to another issuer');
    return { ...server };
  }

  private readonly fetch = async (url: string, { method, headers, body }: { method: string; headers: object; body?: unknown }) => {
    const sent = { method: method as 'GET' | 'POST', headers: headers as Record<string, string> };
    const answer = await exchangeText(this.door, url, body === undefined || body === null ? sent : { ...sent, body: String(body) });
    return new Response(answer.status === 204 ? null : answer.text, { status: answer.status, headers: answer.headers });
  };
}

const isPlain = ({ issuer }: SignInProvider): boolean => issuer.startsWith('http:');
