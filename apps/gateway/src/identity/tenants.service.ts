import { type Caller, Refusal } from '@countersign/calls';
import { DEFAULT_TENANT } from '@countersign/contracts';
import { itemNames, type Tenant, tenantOf } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import type { WithHeaders } from '../answers/with-headers.js';
import { ConfigurationService, type EditRequest } from '../configuration/configuration.service.js';
import { tenantDefaults } from '../configuration/default-tenant.js';
import { pageOf } from '../lists/lists.js';
import { type Page, type PageQuery, placeOf } from '../lists/page-query.js';
import { skeletonOf, tenantLookAlike } from './look-alike.js';
import type { TenantChange, TenantRequest } from './tenants.schemas.js';

interface TenantEdit {
  tenant_id: string;
  /** The look-alike skeleton of a new tenant's id. */
  skeleton: string | null;
  /** The new state of the tenant. */
  next: (known: Tenant | undefined) => Tenant | Refusal;
}

/** The tenants of the installation. */
@Injectable()
export class TenantsService {
  constructor(private readonly configuration: ConfigurationService) {}

  /** For tenant `default` all tenants; otherwise the caller's own. */
  list(tenant_id: string, query: PageQuery): Page<Tenant & { etag: string }> {
    const all = [...this.configuration.state.tenants.values()];
    const visible = tenant_id === DEFAULT_TENANT ? all : all.filter((tenant) => tenant.tenant_id === tenant_id);
    return pageOf(
      visible,
      placeOf(query),
      (tenant) => tenant.tenant_id,
      (tenant) => ({ ...tenant, etag: this.configuration.etag(tenant.tenant_id, itemNames.tenant) }),
    );
  }

  create(caller: Caller, { tenant_id, ...settings }: TenantRequest, request: EditRequest): Promise<WithHeaders<Tenant> | Refusal> {
    const next = (known: Tenant | undefined) => {
      if (known) return new Refusal('conflict', 'a tenant with this id already exists', { reason: 'tenant_already_exists' });
      const alike = tenantLookAlike(this.configuration.state, tenant_id);
      if (alike)
        return new Refusal('conflict', 'a tenant id must not be confusable with another tenant id', {
          reason: 'id_too_similar',
          issues: [alike],
        });
      return { tenant_id, ...tenantDefaults, ...settings };
    };
    return this.set(caller, { tenant_id, skeleton: skeletonOf(tenant_id), next }, request);
  }

  change(caller: Caller, tenant_id: string, body: TenantChange, request: EditRequest): Promise<WithHeaders<Tenant> | Refusal> {
    const next = (known: Tenant | undefined) => {
      if (!known) return new Refusal('not-found', 'no tenant has this id', { reason: 'tenant_not_found' });
      if (body.lane !== undefined && body.lane !== known.lane)
        return new Refusal('conflict', 'the lane of a tenant cannot change', { reason: 'tenant_lane_fixed' });
      return { ...known, ...body, lane: known.lane };
    };
    return this.set(caller, { tenant_id, skeleton: null, next }, request);
  }

  private async set(
    { principal }: Caller,
    { tenant_id, skeleton, next }: TenantEdit,
    request: EditRequest,
  ): Promise<WithHeaders<Tenant> | Refusal> {
    const draft = () => {
      const tenant = next(tenantOf(this.configuration.state, tenant_id));
      if (tenant instanceof Refusal) return tenant;
      const { tenant_id: _id, ...fields } = tenant;
      return this.unserved(tenant.lane) ?? { ...fields, principal, skeleton };
    };
    const against = () => (skeleton === null ? [] : [itemNames.tenant_look(skeleton)]);
    const edit = { tenant_id, type: 'tenant_set' as const, item: itemNames.tenant, against, draft };
    const edited = await this.configuration.editEverywhere(request, edit);
    if (edited instanceof Refusal) return edited;
    const { principal: _by, skeleton: _look, ...fields } = edited.fields;
    return { body: { tenant_id, ...fields }, headers: { location: `/v1/tenants/${tenant_id}`, etag: edited.etag } };
  }

  private unserved(lane: string): Refusal | undefined {
    const { lanes } = this.configuration;
    if (lanes.includes(lane)) return undefined;
    return new Refusal('invalid-request', `this installation serves the lanes ${lanes.join(', ')}`, {
      issues: [{ path: '/lane', code: 'unknown_lane', message: 'is not a lane of this installation' }],
    });
  }
}
