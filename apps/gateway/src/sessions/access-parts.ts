import type { OutboundDoor } from '@countersign/outbound';
import type { AppDeps, Configuration } from '@countersign/process';
import { Authenticator } from '../authentication/authenticator.js';
import { KeyUses } from '../authentication/key-uses.js';
import { RefusedRequests } from '../authentication/refused-requests.js';
import type { TokenPrincipals } from '../authentication/token-principals.js';
import type { VerifiedTokens } from '../authentication/verified-tokens.js';
import type { HttpBounds } from '../bounds/http-bounds.js';
import type { LoopbackCaller } from '../http/loopback-caller.js';
import { RequestAccess } from '../http/request-access.js';
import { signInParts } from './session-parts.js';
import { defaultSessionSettings, type SessionSettings } from './session-settings.js';

interface AccessTerms {
  config: { public_url?: string | undefined; sessions?: SessionSettings };
  bounds: HttpBounds;
  /** To identity providers. */
  door: OutboundDoor;
  verified: VerifiedTokens;
  loopback: LoopbackCaller | undefined;
}

/** What authenticates requests: keys, tokens and sessions. */
export function accessParts(deps: AppDeps, configuration: Configuration, tokens: TokenPrincipals, terms: AccessTerms) {
  const { store, clock, logger } = deps;
  const { config, loopback, ...others } = terms;
  const { public_url, sessions: settings = defaultSessionSettings } = config;
  const key_uses = new KeyUses(store, clock, logger);
  const authenticator = new Authenticator(configuration, () => clock.now_ms(), tokens, key_uses);
  const refused = new RefusedRequests(deps);
  const sign_in = signInParts(deps, configuration, { authenticator, refused }, { public_url, settings, ...others });
  const access = new RequestAccess(authenticator, logger, refused, { sessions: sign_in.sessions, loopback });
  return { access, sign_in, key_uses };
}
