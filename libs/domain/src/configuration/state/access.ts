import type {
  DelegationSet,
  IdentityProviderSet,
  PersonLinkSet,
  Principal,
  TokenExchangeSet,
  UserDelegationSet,
} from '@countersign/contracts';
import type { LinkPeriod } from '../../approval/person-links.js';

export interface ApiKey {
  key_id: string;
  /** SHA-256 of the key, hex. */
  key_hash: string;
  tenant_id: string;
  principal: Principal;
  scopes: string[];
  /** Markings that it may see; `*` means all. */
  clearances: string[];
  /** Null: any purpose. */
  purposes: string[] | null;
  expires_at_ms: number | null;
  created_at_ms: number;
  revoked_at_ms: number | null;
  /** Who answers for an agent. */
  owner: string | null;
  /** What people call it. */
  name: string | null;
  /** Its first characters; null: it was made before they were kept. */
  key_prefix: string | null;
  created_by: Principal;
}

/** An OpenID provider that a tenant trusts: whose tokens name its principals, and how their claims are read. */
export type IdentityProvider = Required<Omit<IdentityProviderSet, 'meta' | 'based_on' | 'by' | 'removed'>> & { tenant_id: string };

/** Provider → subject → role → when the newest token with it was verified, epoch ms. */
export type VerifiedTokens = Map<string, Map<string, Map<string, number>>>;

/** A user's standing word that an agent may act for it. */
export type UserDelegation = Required<Omit<UserDelegationSet, 'meta' | 'based_on' | 'by' | 'revoked'>>;

export type Delegation = Omit<DelegationSet, 'meta' | 'based_on' | 'ended'>;

/** How a tenant's tools get a credential of this name: the user's token is exchanged for a short-lived one (RFC 8693). */
export type TokenExchange = Omit<TokenExchangeSet, 'meta' | 'based_on' | 'by' | 'removed'>;

/** What was recorded of two identities. */
export type RecordedLink = Omit<PersonLinkSet, 'meta' | 'based_on'>;

/** Who is one person, as a tenant recorded it. */
export interface PersonLinks {
  /** Those in force, by link_id. */
  in_force: Map<string, RecordedLink>;
  /** All links ever in force, oldest first; replaced as a whole when one changes. A request also uses the links at its time. */
  periods: readonly (LinkPeriod & { link_id: string })[];
}
