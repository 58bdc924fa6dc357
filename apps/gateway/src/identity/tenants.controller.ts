import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '@countersign/calls';
import { Body, Controller, Get, Headers, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { withHeaders } from '../answers/with-headers.js';
import { Edit } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { OfDefaultTenant } from '../installation/default-tenant.guard.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { type TenantChange, type TenantRequest, tenantAnswer, tenantChange, tenantPage, tenantRequest } from './tenants.schemas.js';
import { TenantsService } from './tenants.service.js';

/** `/v1/tenants`: for admins of tenant `default`; others see their own. */
@ApiTags('tenants')
@Controller('v1/tenants')
export class TenantsController {
  constructor(private readonly tenants: TenantsService) {}

  @Get()
  @Roles('admin')
  @ApiOperation({ summary: 'List tenants' })
  @Answer(tenantPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.tenants.list(tenant_id, query);
  }

  @Post()
  @Roles('admin')
  @OfDefaultTenant('tenants')
  @ApiOperation({ summary: 'Create a tenant' })
  @Answer(tenantAnswer, { status: 201 })
  async create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: tenantRequest }) body: TenantRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.tenants.create(caller, body, { headers }));
  }

  @Put(':tenant_id')
  @Roles('admin')
  @OfDefaultTenant('tenants')
  @Edit()
  @ApiOperation({ summary: 'Change a tenant' })
  @Answer(tenantAnswer)
  async change(
    @CurrentCaller() caller: Caller,
    @Param('tenant_id') tenant_id: string,
    @Body({ schema: tenantChange }) body: TenantChange,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.tenants.change(caller, tenant_id, body, { headers }));
  }
}
