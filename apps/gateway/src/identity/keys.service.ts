import { type Caller, Refusal } from '@countersign/calls';
import { uuidv7 } from '@countersign/contracts';
import { type ApiKey, itemNames, keysOf, tenantOf } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { hashApiKey, mintApiKey } from '../authentication/api-key.js';
import { ConfigurationService, type EditRequest } from '../configuration/configuration.service.js';
import { DEFAULT_TENANT } from '../configuration/default-tenant.js';
import { pageOf } from '../http/lists.js';
import { type Page, type PageQuery, placeOf } from '../http/page-query.js';
import { isoOf } from '../http/shared-schemas.js';
import type { WithHeaders } from '../http/with-headers.js';
import { expiryOf } from './expiry.js';
import type { KeyAnswer, KeyRequest, MintedKey } from './keys.schemas.js';
import { lookAlikeIssue, principalIdsOf, skeletonOf } from './look-alike.js';

function answerOf({ key_id, tenant_id, principal, scopes, clearances, purposes, ...at }: ApiKey): KeyAnswer {
  const created_at = new Date(at.created_at_ms).toISOString();
  const times = { created_at, expires_at: isoOf(at.expires_at_ms), revoked_at: isoOf(at.revoked_at_ms) };
  return { key_id, tenant_id, principal, scopes, clearances, purposes, ...times };
}

/** Admins manage their own tenant; those of `default` all of them. */
const mayManage = (caller: Caller, tenant_id: string): boolean => caller.tenant_id === tenant_id || caller.tenant_id === DEFAULT_TENANT;

/** The API keys of a tenant. A key itself is shown once and kept nowhere. */
@Injectable()
export class KeysService {
  constructor(private readonly configuration: ConfigurationService) {}

  list(tenant_id: string, query: PageQuery): Page<KeyAnswer> {
    return pageOf(keysOf(this.configuration.state, tenant_id), placeOf(query), ({ key_id }) => key_id, answerOf);
  }

  async mint(caller: Caller, body: KeyRequest, request: EditRequest): Promise<WithHeaders<MintedKey> | Refusal> {
    const { tenant_id = caller.tenant_id } = body;
    if (!mayManage(caller, tenant_id) || !tenantOf(this.configuration.state, tenant_id))
      return new Refusal('not-found', 'there is no tenant of this id');
    const created_at_ms = this.configuration.now_ms();
    const expires_at_ms = expiryOf(body.expires_at, created_at_ms);
    if (expires_at_ms instanceof Refusal) return expires_at_ms;
    const key = mintApiKey();
    const { principal, scopes, clearances, purposes = null, owner = null } = body;
    const who = { principal, scopes, clearances, purposes, owner, skeleton: skeletonOf(principal.id) };
    const ids = { key_id: uuidv7(created_at_ms), key_hash: hashApiKey(key) };
    const fields = { ...ids, ...who, by: caller.principal, only_if_first: false, expires_at_ms, created_at_ms };
    const against = () => (owner === null ? [] : [itemNames.principal_look(skeletonOf(owner))]);
    const edited = await this.configuration.editEverywhere(unconditional(request), {
      tenant_id,
      type: 'api_key_set',
      item: itemNames.principal_look(who.skeleton),
      against,
      draft: () => this.lookAlike(tenant_id, body) ?? fields,
    });
    if (edited instanceof Refusal) return edited;
    const headers = { location: `/v1/keys/${ids.key_id}`, 'cache-control': 'no-store' };
    return { body: { ...answerOf({ ...fields, tenant_id, revoked_at_ms: null }), key }, headers };
  }

  async revoke(caller: Caller, key_id: string, request: EditRequest): Promise<Refusal | undefined> {
    const key = this.configuration.state.keys_by_id.get(key_id);
    if (!key || !mayManage(caller, key.tenant_id)) return new Refusal('not-found', 'there is no key of this id');
    if (key.revoked_at_ms !== null) return undefined;
    const revoked = { key_id, by: caller.principal, revoked_at_ms: this.configuration.now_ms() };
    await this.configuration.setEverywhere(request, key.tenant_id, 'api_key_revoked', revoked);
    return undefined;
  }

  /** Nobody gets an id that looks like that of somebody else of the tenant: whoever reads a vote or a question goes by the id. */
  private lookAlike(tenant_id: string, { principal, owner }: KeyRequest): Refusal | undefined {
    const ids = principalIdsOf(this.configuration.state, tenant_id);
    const about = lookAlikeIssue('/principal/id', 'the principal', principal.id, ids);
    ids.add(principal.id);
    const owned = owner === undefined ? undefined : lookAlikeIssue('/owner', 'the principal', owner, ids);
    const issues = [about, owned].filter((issue) => issue !== undefined);
    return issues.length === 0 ? undefined : new Refusal('conflict', 'an id must not look like another one of the tenant', { issues });
  }
}

/** A new key edits nothing that was read: no condition of the request counts. */
const unconditional = ({ headers: { prefer } }: EditRequest): EditRequest => ({ headers: { prefer } });
