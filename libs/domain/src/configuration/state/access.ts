import type {
  DelegationSet,
  IdentityProviderSet,
  PersonLinkSet,
  Principal,
  SignInLinkSet,
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
  /** Markings that the key may see; `*` means all. */
  clearances: string[];
  /** Null: any purpose. */
  purposes: string[] | null;
  expires_at_ms: number | null;
  created_at_ms: number;
  revoked_at_ms: number | null;
  /** The person who is responsible for an agent. */
  owner: string | null;
  /** The display name. */
  name: string | null;
  /** The first characters of the key; null: the key was made before they were recorded. */
  key_prefix: string | null;
  created_by: Principal;
}

/** An OpenID provider that a tenant trusts, with the mapping of its claims. */
export type IdentityProvider = Required<Omit<IdentityProviderSet, 'meta' | 'based_on' | 'by' | 'removed'>> & { tenant_id: string };

/** Provider → subject → role → when the newest token with it was verified, epoch ms. */
export type VerifiedTokens = Map<string, Map<string, Map<string, number>>>;

/** A user's permission for an agent to act on their behalf. */
export type UserDelegation = Required<Omit<UserDelegationSet, 'meta' | 'based_on' | 'by' | 'revoked'>>;

export type Delegation = Omit<DelegationSet, 'meta' | 'based_on' | 'ended'>;

/** How the tenant's tools get a credential of this name: by exchanging the user's token for a short-lived one (RFC 8693). */
export type TokenExchange = Omit<TokenExchangeSet, 'meta' | 'based_on' | 'by' | 'removed'>;

/** The browser sessions of a person that ended before their time. */
export interface EndedSessions {
  /** Offset of the record that ended all sessions; -1: there was none. A session that started in an earlier epoch has ended. */
  epoch: number;
  /** Single sessions that ended in this epoch. */
  session_ids: Set<string>;
  changed_at_ms: number;
}

/** A link that signs a person in once. */
export type SignInLink = Omit<SignInLinkSet, 'meta' | 'by'> & {
  tenant_id: string;
  /** The session that its first use started; null: unused. */
  used_by: string | null;
};

/** A recorded relation of two identities. */
export type RecordedLink = Omit<PersonLinkSet, 'meta' | 'based_on'>;

/** The identity links of a tenant. */
export interface PersonLinks {
  /** Links in force, by link_id. */
  in_force: Map<string, RecordedLink>;
  /** All links that were ever in force, oldest first; replaced as a whole on each change. A request also uses the links of its time. */
  periods: readonly (LinkPeriod & { link_id: string })[];
}
