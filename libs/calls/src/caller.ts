import type { Authority, Principal } from '@countersign/contracts';
import type { IdentityProvider } from '@countersign/domain';

/** The authenticated principal and the rights of its credential. Empty `scopes` of a key: only roles limit it. */
export interface Caller {
  tenant_id: string;
  /** Id of the key, or `jwt:<provider_id>`. */
  key_id: string;
  principal: Principal;
  /** Issuer of the principal: `local`, or the issuer of an identity provider. */
  issuer: string;
  scopes: readonly string[];
  /** Markings that the caller may see; `*` means all. */
  clearances: readonly string[];
  /** Authority of its calls that act for no user and use no other calls' results. Shared: never mutate. */
  authority: Authority;
  /** The bearer token of the request; absent if a key was used. */
  token?: { provider: IdentityProvider; verified_at_ms: number };
}
