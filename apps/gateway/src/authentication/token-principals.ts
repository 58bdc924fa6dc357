import { type Caller, Refusal } from '@countersign/calls';
import { sha256Hex } from '@countersign/contracts';
import { type IdentityProvider, providerOf, tenantOf } from '@countersign/domain';
import type { Configuration } from '@countersign/process';
import type { JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import { authorityOf, invalidToken } from './authenticator.js';
import type { ProviderKeys } from './provider-keys.js';
import { principalOf } from './token-claims.js';
import type { VerifiedTokens } from './verified-tokens.js';

const TOKEN_MAX = 16_384;
const JWT = /^[A-Za-z0-9_-]{2,}\.[A-Za-z0-9_-]{2,}\.[A-Za-z0-9_-]+$/;
const TOLERANCE_S = 5;

/** A verified token, and its principal under this version of its provider's settings. */
interface Verified {
  payload: JWTPayload;
  provider: IdentityProvider;
  /** Issue time, or the time of verification if the token has no issue time. */
  verified_at_ms: number;
  expires_at_ms: number;
  caller: Caller | undefined;
}

/**
 * Issue time of a token in epoch ms, capped at now; now if the token has none. Undefined if it lies in the future or is not a valid time.
 */
function issuedAt({ iat }: JWTPayload, now_ms: number): number | undefined {
  if (iat === undefined) return now_ms;
  if (!Number.isFinite(iat) || iat * 1000 > now_ms + TOLERANCE_S * 1000) return undefined;
  return Math.min(iat * 1000, now_ms);
}

const refuse = (why: string): Refusal => invalidToken(`the token is not accepted: ${why}`);

/** Why `jose` rejected a token, without details of keys. */
function reasonOf(cause: unknown): string {
  const { code, claim } = cause as { code?: string; claim?: string };
  if (code === 'ERR_JWT_EXPIRED') return 'it has expired';
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED') return `its claim ${claim} is not valid`;
  if (code === 'ERR_JOSE_ALG_NOT_ALLOWED') return 'its algorithm is not allowed';
  if (code === 'ERR_JWKS_NO_MATCHING_KEY' || code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED') return 'its signature is not valid';
  return 'its identity provider is unavailable, or it is malformed';
}

/**
 * OpenID tokens as callers. A token is verified once (issuer, audience, algorithm, times, signature) and remembered by its
 * hash; its expiry and its provider are checked each time, so tokens of a removed provider are refused at once.
 */
export class TokenPrincipals {
  private readonly verified: LRUCache<string, Verified | Refusal>;

  constructor(
    private readonly configuration: Configuration,
    private readonly keys: ProviderKeys,
    private readonly now_ms: () => number,
    private readonly verified_tokens: Pick<VerifiedTokens, 'noted'>,
    tokens_max = 10_000,
  ) {
    this.verified = new LRUCache({ max: tokens_max });
  }

  /** Undefined if the token is already verified or is not a JWT: then `caller` can be used at once. */
  prepare(token: string): Promise<void> | undefined {
    if (token.length > TOKEN_MAX || !JWT.test(token)) return undefined;
    const hash = sha256Hex(token);
    const known = this.verified.get(hash);
    if (known && !(known instanceof Refusal) && this.live(known)) return undefined;
    return this.verify(token).then((result) => {
      this.verified.set(hash, result);
      const caller = this.caller(token);
      if (!(caller instanceof Refusal)) this.verified_tokens.noted(caller);
    });
  }

  /** Only for prepared tokens. */
  caller(token: string): Caller | Refusal {
    if (token.length > TOKEN_MAX || !JWT.test(token)) return invalidToken('the token is unknown, revoked or expired');
    const known = this.verified.get(sha256Hex(token));
    if (known === undefined) return refuse('it was not verified');
    if (known instanceof Refusal) return known;
    if (!this.live(known)) return refuse('it has expired, or its provider has changed');
    known.caller ??= callerOfToken(known);
    return known.caller ?? refuse('its subject claim is missing');
  }

  /** Expiry of the token, epoch ms; only for tokens that `caller` accepted. */
  expiryOf(token: string): number | undefined {
    const known = this.verified.get(sha256Hex(token));
    return known && !(known instanceof Refusal) ? known.expires_at_ms : undefined;
  }

  private live({ provider, expires_at_ms }: Verified): boolean {
    const { state } = this.configuration;
    if (expires_at_ms <= this.now_ms() || !tenantOf(state, provider.tenant_id)) return false;
    return state.by_tenant.get(provider.tenant_id)?.identity_providers.get(provider.provider_id) === provider;
  }

  private async verify(token: string): Promise<Verified | Refusal> {
    try {
      const { decodeJwt, jwtVerify } = await import('jose');
      const { iss, aud } = decodeJwt(token);
      const provider = providerOf(this.configuration.state, iss ?? '', Array.isArray(aud) ? aud : [aud ?? '']);
      if (!provider) return refuse('no identity provider of a tenant has its issuer and audience');
      const { payload } = await jwtVerify(token, await this.keys.of(provider), {
        issuer: provider.issuer,
        audience: provider.audiences,
        algorithms: provider.algorithms,
        requiredClaims: ['exp'],
        clockTolerance: TOLERANCE_S,
        currentDate: new Date(this.now_ms()),
      });
      const now_ms = this.now_ms();
      const issued_at_ms = issuedAt(payload, now_ms);
      if (issued_at_ms === undefined) return refuse(`its claim iat is missing or in the future (now: ${new Date(now_ms).toISOString()})`);
      return { payload, provider, verified_at_ms: issued_at_ms, expires_at_ms: (payload.exp as number) * 1000, caller: undefined };
    } catch (cause) {
      return refuse(reasonOf(cause));
    }
  }
}

/** The principal of verified claims by the settings of its provider, with its rights; undefined without a valid subject. */
export function callerOfToken({
  payload,
  provider,
  verified_at_ms,
}: Pick<Verified, 'payload' | 'provider' | 'verified_at_ms'>): Caller | undefined {
  const named = principalOf(payload, provider);
  if (!named) return undefined;
  const { principal, rights } = named;
  const key_id = `jwt:${provider.provider_id}`;
  const { tenant_id } = provider;
  return {
    tenant_id,
    key_id,
    principal,
    issuer: provider.issuer,
    scopes: rights.scopes ?? [],
    clearances: rights.clearances,
    authority: authorityOf(key_id, rights),
    token: { provider, verified_at_ms },
  };
}
