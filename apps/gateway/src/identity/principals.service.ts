import { pickedOf, Refusal } from '@countersign/calls';
import type { ApiKey } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { isoOf } from '../answers/shared-schemas.js';
import { KeyUses } from '../authentication/key-uses.js';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { pageOf } from '../lists/lists.js';
import { type Page, placeOf } from '../lists/page-query.js';
import { stateOf } from './keys.service.js';
import { type KnownIdentity, type KnownPrincipal, knownPrincipals } from './known-principals.js';
import { type PrincipalRecord, type PrincipalsQuery, principalMembers } from './principals.schemas.js';

/** Maximum of keys of a principal in a response: the newest. */
const KEYS_MAX = 100;

type Filters = Pick<PrincipalsQuery, 'kind' | 'role' | 'source' | 'state'>;

const stateOfIdentity = ({ is_active }: KnownIdentity) => (is_active ? 'active' : 'inactive');

function keyOf(key: ApiKey, last_used_at_ms: number | undefined, now_ms: number): PrincipalRecord['keys'][number] {
  const { key_id, key_prefix, name, principal, created_at_ms, expires_at_ms, revoked_at_ms } = key;
  const times = { expires_at: isoOf(expires_at_ms), revoked_at: isoOf(revoked_at_ms), last_used_at: isoOf(last_used_at_ms ?? null) };
  const created_at = new Date(created_at_ms).toISOString();
  return { key_id, key_prefix, name, kind: principal.kind, state: stateOf(key, now_ms), created_at, ...times };
}

function recordOf({ principal_id, identities, keys }: KnownPrincipal, uses: Map<string, number>, now_ms: number): PrincipalRecord {
  const seen = [...keys.map(({ key_id }) => uses.get(key_id) ?? null), ...identities.map((one) => one.last_verified_at_ms)];
  const last_seen_at_ms = seen.reduce((latest, one) => (one !== null && (latest === null || one > latest) ? one : latest), null);
  return {
    principal_id,
    kinds: [...new Set(identities.map(({ kind }) => kind))],
    state: identities.some(({ is_active }) => is_active) ? 'active' : 'inactive',
    roles: [...new Set(identities.flatMap(({ roles }) => roles))].sort(),
    sources: [...new Set(identities.map(({ source }) => source))],
    last_seen_at: isoOf(last_seen_at_ms),
    identities: identities.map((one) => {
      const { is_active: _active, last_verified_at_ms, ...identity } = one;
      return { ...identity, state: stateOfIdentity(one), last_verified_at: isoOf(last_verified_at_ms) };
    }),
    keys: keys.map((key) => keyOf(key, uses.get(key.key_id), now_ms)),
  };
}

/** True if one identity of the principal meets all filters; the state filter applies to the principal. */
function matches({ identities }: KnownPrincipal, { kind, role, source, state }: Filters): boolean {
  if (state !== undefined && identities.some(({ is_active }) => is_active) !== (state === 'active')) return false;
  return identities.some(
    (one) =>
      (kind === undefined || one.kind === kind) &&
      (role === undefined || one.roles.includes(role)) &&
      (source === undefined || one.source === source),
  );
}

/** The principals of a tenant: by keys, or by tokens of its identity providers. */
@Injectable()
export class PrincipalsService {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly uses: KeyUses,
  ) {}

  async list(tenant_id: string, query: PrincipalsQuery): Promise<Page<Partial<PrincipalRecord>>> {
    const now_ms = this.configuration.now_ms();
    const known = [...knownPrincipals(this.configuration.state, tenant_id, now_ms).values()].filter((one) => matches(one, query));
    const { items, next_cursor } = pageOf(
      known,
      placeOf(query),
      ({ principal_id }) => principal_id,
      (one) => one,
    );
    const records = await this.records(tenant_id, items, now_ms);
    const picked = principalMembers.picked(query);
    return { items: picked ? records.map((record) => pickedOf(record, picked)) : records, next_cursor };
  }

  async read(tenant_id: string, principal_id: string): Promise<PrincipalRecord | Refusal> {
    const now_ms = this.configuration.now_ms();
    const known = knownPrincipals(this.configuration.state, tenant_id, now_ms).get(principal_id);
    if (!known) return new Refusal('not-found', 'no principal has this id', { reason: 'principal_not_found' });
    const [record] = await this.records(tenant_id, [known], now_ms);
    return record as PrincipalRecord;
  }

  private async records(tenant_id: string, all: readonly KnownPrincipal[], now_ms: number): Promise<PrincipalRecord[]> {
    const known = all.map((one) => ({ ...one, keys: one.keys.slice(-KEYS_MAX).reverse() }));
    const uses = await this.uses.lastUses(
      tenant_id,
      known.flatMap(({ keys }) => keys.map(({ key_id }) => key_id)),
    );
    return known.map((one) => recordOf(one, uses, now_ms));
  }
}
