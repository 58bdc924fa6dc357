import { Refusal } from '@countersign/calls';
import type { IdentityProvider } from '@countersign/domain';
import type { Logger } from '@countersign/process';
import { keptClaims } from '../authentication/token-claims.js';
import type { VerifiedTokens } from '../authentication/verified-tokens.js';
import type { ConfigurationService } from '../configuration/configuration.service.js';
import type { Problem } from '../http/problem.js';
import type { IncomingRequest } from '../http/reply.js';
import type { BrowserPlace } from './browser-place.js';
import type { BrowserSessions } from './browser-sessions.js';
import type { ClientSecrets } from './client-secrets.js';
import type { IdClaims, OpenIdClient } from './openid-client.js';
import { localPath } from './return-to.js';
import { COOKIE_TEXT_MAX, cookieFor, cookiesNamed, type SealedCookies, setCookie } from './session-cookies.js';
import { type SessionPrincipals, signsIn } from './session-principals.js';
import { FLOW_LIVES_MS, type SignInFlow } from './sign-in-flow.js';
import type { SignInGate } from './sign-in-gate.js';

const CALLBACK = '/v1/session/openid:callback';
const FLOW = 'flow';

/** An address to which the browser goes next, with cookies. */
export interface Redirect {
  location: string;
  set_cookies: string[];
}

export interface OpenIdParts {
  client: OpenIdClient;
  secrets: ClientSecrets;
  flows: SealedCookies<SignInFlow>;
  principals: SessionPrincipals;
  verified: Pick<VerifiedTokens, 'noted'>;
  logger: Pick<Logger, 'warn'>;
}

interface Answered {
  place: BrowserPlace;
  tenant_id: string;
  flow: SignInFlow;
  provider: IdentityProvider;
}

const notFound = (): Refusal =>
  new Refusal('not-found', 'no identity provider with this id signs people in', { reason: 'identity_provider_not_found' });
const unavailable = (): Refusal =>
  new Refusal('unavailable', 'the identity provider is unavailable, or its metadata is not valid: the log of the gateway says why', {
    reason: 'identity_provider_unavailable',
  });

/** Signs people in with an OpenID provider: authorization code with PKCE. Between its two requests all state is in a sealed cookie. */
export class OpenIdSignIn {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly gate: SignInGate,
    private readonly configuration: Pick<ConfigurationService, 'state' | 'now_ms'>,
    private readonly parts: OpenIdParts,
  ) {}

  /** Providers of all tenants that sign people in. */
  providers(tenant_id?: string): { provider_id: string; tenant_id: string; name: string }[] {
    const tenants = [...this.configuration.state.by_tenant].filter(([id]) => tenant_id === undefined || id === tenant_id);
    return tenants.flatMap(([id, { identity_providers }]) =>
      [...identity_providers.values()].flatMap((provider) =>
        signsIn(provider) ? [{ provider_id: provider.provider_id, tenant_id: id, name: provider.sign_in?.name as string }] : [],
      ),
    );
  }

  /** Sends the browser to the provider. `return_to`: a path of this gateway. */
  async start(request: IncomingRequest, of: { tenant_id: string; provider_id: string }, return_to: string): Promise<Redirect | Problem> {
    const place = this.gate.guard.admitNavigation(request);
    if (place instanceof Refusal) return place;
    const provider = this.provider(of.tenant_id, of.provider_id);
    if (!provider) return notFound();
    const { provider_id, issuer } = provider;
    try {
      const { url, secrets } = await this.parts.client.start(provider, `${place.origin}${CALLBACK}`);
      const expires_at_ms = this.configuration.now_ms() + FLOW_LIVES_MS;
      const sealed = this.parts.flows.seal(cookieFor(place, FLOW), of.tenant_id, {
        provider_id,
        issuer,
        secrets,
        return_to: localPath(return_to) ?? '/',
        expires_at_ms,
      });
      return { location: url, set_cookies: [setCookie(cookieFor(place, FLOW), sealed, FLOW_LIVES_MS / 1000)] };
    } catch (err) {
      this.parts.logger.warn({ event: 'openid_provider_unavailable', ...of, err }, 'an identity provider cannot sign people in');
      return unavailable();
    }
  }

  /** The browser came back from the provider. A refusal sends it to the sign-in page, because a person looks at it. */
  async finish(request: IncomingRequest): Promise<Redirect | Problem> {
    const place = this.gate.guard.admitAnswer(request);
    if (place instanceof Refusal) return place;
    const cleared = setCookie(cookieFor(place, FLOW), '', 0);
    const answered = this.answered(request, place);
    const started = answered ? await this.signIn(request, answered) : undefined;
    if (!answered || !started) return { location: '/sign-in?refused=sign_in_failed', set_cookies: [cleared] };
    return { location: answered.flow.return_to, set_cookies: [cleared, started] };
  }

  private answered({ headers }: IncomingRequest, place: BrowserPlace): Answered | undefined {
    const name = cookieFor(place, FLOW);
    const [sent, ...others] = cookiesNamed(headers, name);
    const opened = sent === undefined || others.length > 0 ? undefined : this.parts.flows.open(name, sent);
    const provider = opened && this.provider(opened.tenant_id, opened.value.provider_id);
    if (!opened || !provider || provider.issuer !== opened.value.issuer || this.configuration.now_ms() >= opened.value.expires_at_ms) {
      this.gate.record.refused('by OpenID: the browser did not start this sign-in, or too long ago');
      return undefined;
    }
    return { place, tenant_id: opened.tenant_id, flow: opened.value, provider };
  }

  /** @returns the `Set-Cookie` header of the session. */
  private async signIn(request: IncomingRequest, answered: Answered): Promise<string | undefined> {
    const { place, tenant_id, provider, flow } = answered;
    const claims = await this.claims(request, answered);
    if (!claims) return undefined;
    const { provider_id, issuer, people_live_ms } = provider;
    const verified_at_ms = Math.min(claims.iat * 1000, this.configuration.now_ms());
    const as = { by: 'openid' as const, provider_id: flow.provider_id, issuer, claims: keptClaims(claims, provider), verified_at_ms };
    const caller = this.parts.principals.principalOf(tenant_id, as);
    if (caller === undefined || caller instanceof Refusal || caller.principal.roles.length === 0)
      return this.refuse(answered, 'the provider gives the person no id or no role');
    const started = this.sessions.begin(place, as, caller, people_live_ms);
    if (started.set_cookie.length > COOKIE_TEXT_MAX) return this.refuse(answered, 'the claims of the person do not fit into a cookie');
    await this.gate.record.signedIn(caller, `by OpenID provider ${provider_id}`);
    this.parts.verified.noted(caller);
    return started.set_cookie;
  }

  private async claims(request: IncomingRequest, answered: Answered): Promise<IdClaims | undefined> {
    const { place, tenant_id, provider, flow } = answered;
    try {
      const secret = await this.parts.secrets.of(tenant_id, provider.sign_in?.client_secret ?? null);
      return await this.parts.client.finish(provider, new URL(request.url, place.origin), flow.secrets, secret);
    } catch (err) {
      const { provider_id } = provider;
      this.parts.logger.warn(
        { event: 'openid_sign_in_refused', tenant_id, provider_id, err: reasonOf(err) },
        'an OpenID sign-in was refused',
      );
      return this.refuse(answered, 'the answer of the provider is not valid');
    }
  }

  private refuse({ tenant_id, provider }: Answered, why: string): undefined {
    this.gate.record.refused(`by OpenID provider ${provider.provider_id}: ${why}`, tenant_id);
  }

  private provider(tenant_id: string, provider_id: string): IdentityProvider | undefined {
    const provider = this.configuration.state.by_tenant.get(tenant_id)?.identity_providers.get(provider_id);
    return provider && signsIn(provider) ? provider : undefined;
  }
}

/** Code and message of an error, without the response of the provider: it may contain tokens. */
function reasonOf(err: unknown): { code?: unknown; message: string } {
  const { code, message } = err as { code?: unknown; message?: unknown };
  return { code, message: String(message) };
}
