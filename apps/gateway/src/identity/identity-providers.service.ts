import { type Caller, Refusal } from '@countersign/calls';
import { DEFAULT_TENANT } from '@countersign/contracts';
import { type IdentityProvider, itemNames } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import type { WithHeaders } from '../answers/with-headers.js';
import { ConfigurationService, type EditRequest } from '../configuration/configuration.service.js';
import { pageOf } from '../lists/lists.js';
import { type Page, type PageQuery, placeOf } from '../lists/page-query.js';
import type { IdentityProviderAnswer, IdentityProviderRequest } from './identity-providers.schemas.js';

const PROVIDER_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;

const refused = (path: string, message: string): Refusal =>
  new Refusal('invalid-request', message, { issues: [{ path, code: 'refused', message }] });

const answerOf = ({ changed_at_ms, ...provider }: IdentityProvider): IdentityProviderAnswer => ({
  ...provider,
  changed_at: new Date(changed_at_ms).toISOString(),
});

/** The OpenID providers whose tokens identify principals of a tenant, and the mapping of their claims. */
@Injectable()
export class IdentityProvidersService {
  constructor(private readonly configuration: ConfigurationService) {}

  list(tenant_id: string, query: PageQuery): Page<IdentityProviderAnswer & { etag: string }> {
    return pageOf(
      [...this.providers(tenant_id).values()],
      placeOf(query),
      ({ provider_id }) => provider_id,
      (one) => ({ ...answerOf(one), etag: this.configuration.etag(tenant_id, itemNames.identity_provider(one.provider_id)) }),
    );
  }

  async set(
    caller: Caller,
    provider_id: string,
    body: IdentityProviderRequest,
    request: EditRequest,
  ): Promise<WithHeaders<IdentityProviderAnswer> | Refusal> {
    const { tenant_id, principal: by } = caller;
    const fields = { ...body, provider_id, jwks_uri: body.jwks_uri ?? null, sign_in: body.sign_in ?? null, removed: false, by };
    const edited = await this.configuration.editEverywhere(request, {
      tenant_id,
      type: 'identity_provider_set',
      item: itemNames.identity_provider(provider_id),
      against: () => [itemNames.issuer(body.issuer)],
      draft: () => this.fault(caller, provider_id, body) ?? { ...fields, changed_at_ms: this.configuration.now_ms() },
    });
    if (edited instanceof Refusal) return edited;
    const { by: _by, removed: _removed, ...set } = edited.fields;
    const { people_live_ms, stand_ins_live_ms, sign_in } = fields;
    return { body: answerOf({ ...set, people_live_ms, stand_ins_live_ms, sign_in, tenant_id }), headers: { etag: edited.etag } };
  }

  async remove({ tenant_id, principal: by }: Caller, provider_id: string, request: EditRequest): Promise<Refusal | undefined> {
    const draft = () => {
      const known = this.providers(tenant_id).get(provider_id);
      if (!known) return new Refusal('not-found', 'no identity provider has this id', { reason: 'identity_provider_not_found' });
      const { tenant_id: _tenant, ...fields } = known;
      return { ...fields, by, changed_at_ms: this.configuration.now_ms(), removed: true };
    };
    const item = itemNames.identity_provider(provider_id);
    const edited = await this.configuration.editEverywhere(request, { tenant_id, type: 'identity_provider_set', item, draft });
    return edited instanceof Refusal ? edited : undefined;
  }

  private providers(tenant_id: string): ReadonlyMap<string, IdentityProvider> {
    return this.configuration.state.by_tenant.get(tenant_id)?.identity_providers ?? new Map();
  }

  /**
   * The issuer and audience of a token determine its tenant, so no two tenants may share a pair, and none may reserve a pair that another
   * could need: only admins of the installation choose audiences freely.
   */
  private fault(caller: Caller, provider_id: string, body: IdentityProviderRequest): Refusal | undefined {
    if (!PROVIDER_ID.test(provider_id)) return refused('/provider_id', 'an id consists of a-z, 0-9, _ and -');
    for (const [path, url] of [
      ['/issuer', body.issuer],
      ['/jwks_uri', body.jwks_uri],
    ] as const) {
      const fault = url === undefined ? undefined : this.configuration.identity_addresses.fault(url)?.message;
      if (fault) return refused(path, fault);
    }
    if (body.sign_in && body.kind !== 'user') return refused('/sign_in', 'only providers of users may sign people in: kind must be user');
    const own = `urn:countersign:tenant:${caller.tenant_id}`;
    if (caller.tenant_id !== DEFAULT_TENANT && body.audiences.some((audience) => audience !== own && !audience.startsWith(`${own}:`)))
      return refused('/audiences', `a tenant's own audiences begin with ${own}; an admin of tenant ${DEFAULT_TENANT} may set others`);
    const rivals = (this.configuration.state.providers_by_issuer.get(body.issuer) ?? []).filter(
      (known) => known.tenant_id !== caller.tenant_id || known.provider_id !== provider_id,
    );
    const taken = rivals.some((rival) => rival.audiences.some((audience) => body.audiences.includes(audience)));
    return taken
      ? new Refusal('conflict', 'another identity provider has this issuer and one of these audiences', {
          reason: 'identity_provider_conflict',
        })
      : undefined;
  }
}
