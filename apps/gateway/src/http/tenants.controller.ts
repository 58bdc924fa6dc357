import { type Tenant, tenantOf } from '@countersign/domain';
import { Controller, Get, Post, Put, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import type { Caller } from '../identity/authenticator.js';
import { DEFAULT_TENANT, tenantDefaults } from '../identity/tenants.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { parseBody } from './body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { Problem } from './problem.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

const settings = {
  lane: z.string().min(1).max(32).optional().describe('the set of topics, with executors of its own, that its calls go through'),
  weight: z.int().min(1).max(1000).optional().describe('share of the lane beside the other tenants'),
  running_max: z.int().min(1).max(100_000).optional().describe('calls that run at once'),
  in_flight_max: z.int().min(1).max(1_000_000).optional().describe('calls admitted and not ended; beyond it 429'),
};
export const tenantRequest = z.strictObject({ tenant_id: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/), ...settings });
export const tenantChange = z.strictObject(settings);

const forbidden = (): Problem => new Problem('forbidden', `tenants are administered by admins of tenant ${DEFAULT_TENANT}`);

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
      if (page instanceof Problem) return page;
      const all = [...this.room.configuration.state.tenants.values()];
      const shown = caller.tenant_id === DEFAULT_TENANT ? all : all.filter((tenant) => tenant.tenant_id === caller.tenant_id);
      return ok(
        pageOf(
          shown,
          page,
          (tenant) => tenant.tenant_id,
          (tenant) => tenant,
        ),
      );
    });
  }

  @Post()
  create(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['admin'], async (caller) => {
      if (caller.tenant_id !== DEFAULT_TENANT) return forbidden();
      const body = parseBody(tenantRequest, request.body);
      if (body instanceof Problem) return body;
      const { tenant_id, ...given } = body;
      if (tenantOf(this.room.configuration.state, tenant_id)) return new Problem('conflict', 'there is a tenant of this id already');
      return this.set(caller, { tenant_id, ...tenantDefaults, ...given }, 201);
    });
  }

  @Put(':tenant_id')
  change(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['admin'], async (caller) => {
      if (caller.tenant_id !== DEFAULT_TENANT) return forbidden();
      const body = parseBody(tenantChange, request.body);
      if (body instanceof Problem) return body;
      const known = tenantOf(this.room.configuration.state, (request.params as { tenant_id: string }).tenant_id);
      if (!known) return new Problem('not-found', 'there is no tenant of this id');
      if (body.lane !== undefined && body.lane !== known.lane) return new Problem('conflict', 'a tenant stays in the lane it was made in');
      return this.set(caller, { ...known, ...body, lane: known.lane }, 200);
    });
  }

  private async set(caller: Caller, tenant: Tenant, status: number): Promise<Answer | Problem> {
    if (!this.room.configuration.lanes.includes(tenant.lane))
      return new Problem('invalid-request', `this installation serves the lanes ${this.room.configuration.lanes.join(', ')}`, {
        issues: [{ path: '/lane', code: 'unknown_lane', message: 'is not served here' }],
      });
    const { tenant_id, ...fields } = tenant;
    await this.room.setEverywhere(tenant_id, 'tenant_set', { ...fields, principal: caller.principal });
    return { status, body: tenant, headers: { location: `/v1/tenants/${tenant_id}` } };
  }
}
