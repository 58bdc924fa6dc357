import { type Caller, Refusal } from '@countersign/calls';
import { itemNames, type Tenant, tenantOf } from '@countersign/domain';
import { Controller, Get, Post, Put, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { skeletonOf, tenantLookAlike } from '../identity/look-alike.js';
import { DEFAULT_TENANT, tenantDefaults } from '../identity/tenants.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

const settings = {
  lane: z.string().min(1).max(32).optional().describe('the set of topics, with executors of its own, that its calls go through'),
  weight: z.int().min(1).max(1000).optional().describe('share of the lane beside the other tenants'),
  running_max: z.int().min(1).max(100_000).optional().describe('calls that run at once'),
  in_flight_max: z.int().min(1).max(1_000_000).optional().describe('calls admitted and not ended; beyond it 429'),
};
export const tenantRequest = z.strictObject({ tenant_id: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/), ...settings });
export const tenantChange = z.strictObject(settings);

const forbidden = (): Refusal => new Refusal('forbidden', `tenants are administered by admins of tenant ${DEFAULT_TENANT}`);

/** `/v1/tenants`: for admins of tenant `default`; others see their own. */
@Controller('v1/tenants')
export class TenantsController {
  constructor(
    private readonly face: Face,
    private readonly room: PolicyRoom,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['admin'], (caller) => {
      const page = listed(request);
      if (page instanceof Refusal) return page;
      const all = [...this.room.configuration.state.tenants.values()];
      const shown = caller.tenant_id === DEFAULT_TENANT ? all : all.filter((tenant) => tenant.tenant_id === caller.tenant_id);
      return ok(
        pageOf(
          shown,
          page,
          (tenant) => tenant.tenant_id,
          (tenant) => ({ ...tenant, etag: this.etag(tenant.tenant_id) }),
        ),
      );
    });
  }

  @Post()
  create(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['admin'], async (caller) => {
      if (caller.tenant_id !== DEFAULT_TENANT) return forbidden();
      const body = parseBody(tenantRequest, request.body);
      if (body instanceof Refusal) return body;
      const { tenant_id, ...given } = body;
      const skeleton = skeletonOf(tenant_id);
      return this.set(request, caller, { tenant_id, status: 201, skeleton }, (known) => {
        if (known) return new Refusal('conflict', 'there is a tenant of this id already');
        const alike = tenantLookAlike(this.room.configuration.state, tenant_id);
        if (alike) return new Refusal('conflict', 'the id of a tenant must not look like another one', { issues: [alike] });
        return { tenant_id, ...tenantDefaults, ...given };
      });
    });
  }

  @Put(':tenant_id')
  change(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['admin'], async (caller) => {
      if (caller.tenant_id !== DEFAULT_TENANT) return forbidden();
      const body = parseBody(tenantChange, request.body);
      if (body instanceof Refusal) return body;
      const { tenant_id } = request.params as { tenant_id: string };
      return this.set(request, caller, { tenant_id, status: 200, skeleton: null }, (known) => {
        if (!known) return new Refusal('not-found', 'there is no tenant of this id');
        if (body.lane !== undefined && body.lane !== known.lane)
          return new Refusal('conflict', 'a tenant stays in the lane it was made in');
        return { ...known, ...body, lane: known.lane };
      });
    });
  }

  private etag(tenant_id: string): string {
    return this.room.configuration.edits.etag(tenant_id, itemNames.tenant);
  }

  private async set(
    request: HttpRequest,
    { principal }: Caller,
    { tenant_id, status, skeleton }: { tenant_id: string; status: number; skeleton: string | null },
    next: (known: Tenant | undefined) => Tenant | Refusal,
  ): Promise<Answer | Refusal> {
    const draft = () => {
      const tenant = next(tenantOf(this.room.configuration.state, tenant_id));
      if (tenant instanceof Refusal) return tenant;
      const { tenant_id: _id, ...fields } = tenant;
      return this.unserved(tenant.lane) ?? { ...fields, principal, skeleton };
    };
    const against = () => (skeleton === null ? [] : [itemNames.tenant_look(skeleton)]);
    const edited = await this.room.editEverywhere(request, { tenant_id, type: 'tenant_set', item: itemNames.tenant, against, draft });
    if (edited instanceof Refusal) return edited;
    const { principal: _by, skeleton: _look, ...fields } = edited.fields;
    return { status, body: { tenant_id, ...fields }, headers: { location: `/v1/tenants/${tenant_id}`, etag: edited.etag } };
  }

  private unserved(lane: string): Refusal | undefined {
    const { lanes } = this.room.configuration;
    if (lanes.includes(lane)) return undefined;
    return new Refusal('invalid-request', `this installation serves the lanes ${lanes.join(', ')}`, {
      issues: [{ path: '/lane', code: 'unknown_lane', message: 'is not served here' }],
    });
  }
}
