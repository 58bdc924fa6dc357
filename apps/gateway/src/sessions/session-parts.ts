import type { OutboundDoor } from '@countersign/outbound';
import { type AppDeps, type Configuration, SealedSecrets } from '@countersign/process';
import type { Authenticator } from '../authentication/authenticator.js';
import type { RefusedRequests } from '../authentication/refused-requests.js';
import type { VerifiedTokens } from '../authentication/verified-tokens.js';
import type { HttpBounds } from '../bounds/http-bounds.js';
import { BrowserPlaces } from './browser-place.js';
import { BrowserSessions } from './browser-sessions.js';
import { ClientSecrets } from './client-secrets.js';
import { OpenIdClient } from './openid-client.js';
import { RequestTokens } from './request-tokens.js';
import { sessionClaims } from './session-claims.js';
import { SealedCookies } from './session-cookies.js';
import { SessionPrincipals } from './session-principals.js';
import type { SessionSettings } from './session-settings.js';
import type { SignInParts } from './sessions.module.js';
import { SignInAttempts } from './sign-in-attempts.js';
import { signInFlow } from './sign-in-flow.js';
import { SignInGate } from './sign-in-gate.js';
import { SignInGuard } from './sign-in-guard.js';
import { SignInRecord } from './sign-in-record.js';

export interface SessionTerms {
  public_url: string | undefined;
  settings: SessionSettings;
  bounds: HttpBounds;
  /** To identity providers. */
  door: OutboundDoor;
  verified: VerifiedTokens;
}

/** Connects the parts of signing in. */
export function signInParts(
  { keys, log, codec, clock, vault, logger }: Pick<AppDeps, 'keys' | 'log' | 'codec' | 'clock' | 'vault' | 'logger'>,
  configuration: Configuration,
  { authenticator, refused }: { authenticator: Authenticator; refused: RefusedRequests },
  { public_url, settings, bounds, door, verified }: SessionTerms,
): SignInParts {
  const places = new BrowserPlaces(public_url);
  const hasTenant = (tenant_id: string) => configuration.state.tenants.has(tenant_id);
  const cookies = new SealedCookies(new SealedSecrets(keys, 'browser-session'), sessionClaims, hasTenant);
  const principals = new SessionPrincipals(configuration, authenticator);
  const parts = { places, cookies, tokens: new RequestTokens(keys), principals, refused };
  const attempts = new SignInAttempts(settings, () => clock.monotonic_ms());
  const flows = new SealedCookies(new SealedSecrets(keys, 'sign-in-flow'), signInFlow, hasTenant);
  const now_ms = () => clock.now_ms();
  return {
    open_id: {
      client: new OpenIdClient(door, () => clock.monotonic_ms()),
      secrets: new ClientSecrets(vault, now_ms),
      ...{ flows, principals, verified, logger },
    },
    sessions: new BrowserSessions(parts, configuration, settings, now_ms),
    authenticator,
    gate: new SignInGate(new SignInGuard(places, attempts, bounds), new SignInRecord({ log, codec, clock }, refused)),
  };
}
