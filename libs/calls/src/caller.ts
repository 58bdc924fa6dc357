import type { Authority, Principal } from '@countersign/contracts';
import type { IdentityProvider } from '@countersign/domain';

/** Who asks: the principal and its rights, as its credential says. `scopes` empty: limited by its roles only (of a key). */
export interface Caller {
  tenant_id: string;
  /** Of the key, or `jwt:<provider_id>`. */
  key_id: string;
  principal: Principal;
  /** Who vouches for the principal: `local`, or the issuer of an identity provider. */
  issuer: string;
  scopes: readonly string[];
  /** Markings that it may see; `*` means all. */
  clearances: readonly string[];
  /** Authority of its calls that act for no user and have no source calls. Shared: never mutate. */
  authority: Authority;
  /** The token that it came with; absent: a key. */
  token?: { provider: IdentityProvider; verified_at_ms: number };
}
