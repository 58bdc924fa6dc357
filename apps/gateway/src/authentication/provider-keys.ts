import type { IdentityProvider } from '@countersign/domain';
import { exchangeText, type OutboundDoor } from '@countersign/outbound';
import type { JWTVerifyGetKey } from 'jose';

const KEPT_MS = 600_000;
/** A token with an unknown key triggers a new fetch, at most this often. This finds a provider's new keys. */
const COOLDOWN_MS = 5_000;

/** The signing keys of identity providers: fetched on first use, cached for 10 minutes and fetched again for an unknown key. */
export class ProviderKeys {
  private readonly known = new Map<string, Promise<JWTVerifyGetKey>>();

  constructor(private readonly door: OutboundDoor) {}

  /** @throws Error if the provider is unavailable or its response is not valid. */
  of(provider: Pick<IdentityProvider, 'issuer' | 'jwks_uri'>): Promise<JWTVerifyGetKey> {
    const id = `${provider.issuer} ${provider.jwks_uri ?? ''}`;
    const known = this.known.get(id);
    if (known) return known;
    const found = this.find(provider);
    this.known.set(id, found);
    found.catch(() => this.known.delete(id));
    return found;
  }

  private async find({ issuer, jwks_uri }: Pick<IdentityProvider, 'issuer' | 'jwks_uri'>): Promise<JWTVerifyGetKey> {
    const uri = jwks_uri ?? (await this.discovered(issuer));
    const { createRemoteJWKSet, customFetch } = await import('jose');
    return createRemoteJWKSet(new URL(uri), {
      cacheMaxAge: KEPT_MS,
      cooldownDuration: COOLDOWN_MS,
      [customFetch]: async (url: string) => {
        const { status, text } = await exchangeText(this.door, url, { headers: { accept: 'application/json' } });
        return new Response(text, { status });
      },
    });
  }

  private async discovered(issuer: string): Promise<string> {
    const { status, text } = await exchangeText(this.door, `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const document = status === 200 ? (JSON.parse(text) as { issuer?: unknown; jwks_uri?: unknown }) : {};
    if (document.issuer !== issuer || typeof document.jwks_uri !== 'string')
      throw new Error('its discovery document is missing or belongs to another issuer');
    return document.jwks_uri;
  }
}
