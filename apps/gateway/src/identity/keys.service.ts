import { type Caller, Refusal } from '@countersign/calls';
import { DEFAULT_TENANT, isInfrastructureFault, uuidv7 } from '@countersign/contracts';
import { type ApiKey, itemNames, keysOf, tenantOf } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { isoOf } from '../answers/shared-schemas.js';
import type { WithHeaders } from '../answers/with-headers.js';
import { hashApiKey, mintApiKey, prefixOf } from '../authentication/api-key.js';
import { KeyUses } from '../authentication/key-uses.js';
import { ConfigurationService, type EditRequest } from '../configuration/configuration.service.js';
import { pageOf } from '../lists/lists.js';
import { type Page, placeOf } from '../lists/page-query.js';
import { expiryOf } from './expiry.js';
import type { KeyAnswer, KeyChange, KeyListQuery, KeyRequest, MintedKey } from './keys.schemas.js';
import { confusablePrincipal, skeletonOf } from './look-alike.js';

export function stateOf(
  { revoked_at_ms, expires_at_ms }: Pick<ApiKey, 'revoked_at_ms' | 'expires_at_ms'>,
  now_ms: number,
): KeyAnswer['state'] {
  if (revoked_at_ms !== null) return 'revoked';
  return expires_at_ms !== null && expires_at_ms <= now_ms ? 'expired' : 'active';
}

function answerOf(key: Omit<ApiKey, 'key_hash'>, last_used_at_ms: number | undefined, now_ms: number): KeyAnswer {
  const { key_id, tenant_id, key_prefix, name, principal, owner, created_by, scopes, clearances, purposes, ...at } = key;
  const state = stateOf(at, now_ms);
  const created_at = new Date(at.created_at_ms).toISOString();
  const times = { created_at, expires_at: isoOf(at.expires_at_ms), revoked_at: isoOf(at.revoked_at_ms) };
  const last_used_at = isoOf(last_used_at_ms ?? null);
  return { key_id, tenant_id, key_prefix, name, state, principal, owner, created_by, scopes, clearances, purposes, ...times, last_used_at };
}

/** Admins manage their own tenant; admins of `default` manage all tenants. */
export const mayManage = (caller: Caller, tenant_id: string): boolean =>
  caller.tenant_id === tenant_id || caller.tenant_id === DEFAULT_TENANT;

/** The API keys of a tenant. A key is shown once and never stored. */
@Injectable()
export class KeysService {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly uses: KeyUses,
  ) {}

  async list(tenant_id: string, { principal, state, ...query }: KeyListQuery): Promise<Page<KeyAnswer>> {
    const now_ms = this.configuration.now_ms();
    const keys = keysOf(this.configuration.state, tenant_id).filter(
      (key) => (principal === undefined || key.principal.id === principal) && (state === undefined || stateOf(key, now_ms) === state),
    );
    const { items, next_cursor } = pageOf(
      keys,
      placeOf(query),
      ({ key_id }) => key_id,
      (key) => key,
    );
    const uses = await this.usesOf(tenant_id, items);
    return { items: items.map((key) => answerOf(key, uses.get(key.key_id), now_ms)), next_cursor };
  }

  async read(caller: Caller, key_id: string): Promise<KeyAnswer | Refusal> {
    const key = this.find(caller, key_id);
    if (key instanceof Refusal) return key;
    const uses = await this.usesOf(key.tenant_id, [key]);
    return answerOf(key, uses.get(key_id), this.configuration.now_ms());
  }

  /** Changes only the name: writes the other members of the key unchanged. */
  async rename(caller: Caller, key_id: string, { name }: KeyChange, request: EditRequest): Promise<KeyAnswer | Refusal> {
    const key = this.find(caller, key_id);
    if (key instanceof Refusal) return key;
    const { tenant_id, revoked_at_ms: _revoked, created_by: _created, ...rights } = key;
    const fields = { ...rights, name, skeleton: skeletonOf(key.principal.id), by: caller.principal, only_if_first: false };
    await this.configuration.setEverywhere(unconditional(request), tenant_id, 'api_key_set', fields);
    return this.read(caller, key_id);
  }

  async mint(caller: Caller, body: KeyRequest, request: EditRequest): Promise<WithHeaders<MintedKey> | Refusal> {
    const { tenant_id = caller.tenant_id } = body;
    if (!mayManage(caller, tenant_id) || !tenantOf(this.configuration.state, tenant_id))
      return new Refusal('not-found', 'no tenant has this id', { reason: 'tenant_not_found' });
    const created_at_ms = this.configuration.now_ms();
    const expires_at_ms = expiryOf(body.expires_at, created_at_ms);
    if (expires_at_ms instanceof Refusal) return expires_at_ms;
    const key = mintApiKey();
    const { principal, scopes, clearances, purposes = null, owner = null, name = null } = body;
    const who = { name, principal, scopes, clearances, purposes, owner, skeleton: skeletonOf(principal.id) };
    const ids = { key_id: uuidv7(created_at_ms), key_hash: hashApiKey(key), key_prefix: prefixOf(key) };
    const fields = { ...ids, ...who, by: caller.principal, only_if_first: false, expires_at_ms, created_at_ms };
    const against = () => (owner === null ? [] : [itemNames.principal_look(skeletonOf(owner))]);
    const edited = await this.configuration.editEverywhere(unconditional(request), {
      tenant_id,
      type: 'api_key_set',
      item: itemNames.principal_look(who.skeleton),
      against,
      draft: () => confusablePrincipal(this.configuration.state, tenant_id, body) ?? fields,
    });
    if (edited instanceof Refusal) return edited;
    const headers = { location: `/v1/keys/${ids.key_id}`, 'cache-control': 'no-store' };
    const made = { ...fields, tenant_id, created_by: caller.principal, revoked_at_ms: null };
    return { body: { ...answerOf(made, undefined, created_at_ms), key }, headers };
  }

  async revoke(caller: Caller, key_id: string, request: EditRequest): Promise<Refusal | undefined> {
    const key = this.find(caller, key_id);
    if (key instanceof Refusal) return key;
    if (key.revoked_at_ms !== null) return undefined;
    const revoked = { key_id, by: caller.principal, revoked_at_ms: this.configuration.now_ms() };
    await this.configuration.setEverywhere(request, key.tenant_id, 'api_key_revoked', revoked);
    return undefined;
  }

  /** None if the store is unavailable: a key can be found and revoked without it. */
  private async usesOf(tenant_id: string, keys: readonly ApiKey[]): Promise<Map<string, number>> {
    try {
      return await this.uses.lastUses(
        tenant_id,
        keys.map(({ key_id }) => key_id),
      );
    } catch (cause) {
      if (isInfrastructureFault(cause)) return new Map();
      throw cause;
    }
  }

  private find(caller: Caller, key_id: string): ApiKey | Refusal {
    const key = this.configuration.state.keys_by_id.get(key_id);
    return key && mayManage(caller, key.tenant_id) ? key : new Refusal('not-found', 'no key has this id', { reason: 'key_not_found' });
  }
}

/** A new key edits no existing resource, so preconditions of the request are ignored. */
const unconditional = ({ headers: { prefer } }: EditRequest): EditRequest => ({ headers: { prefer } });
