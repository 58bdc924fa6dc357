import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '@countersign/calls';
import { Body, Controller, Get, Headers, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { withHeaders } from '../answers/with-headers.js';
import { Change, Edit } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { ActivePolicyService } from './active-policy.service.js';
import { type ActivateRequest, activateRequest, type PolicySettings, type PublishRequest, policySettings } from './bundle-request.js';
import {
  activePolicy,
  changedActivePolicy,
  policyPage,
  policyRead,
  policySettingsAnswer,
  publishBody,
  publishedPolicy,
} from './policies.schemas.js';
import { PublishedPoliciesService } from './published-policies.service.js';

/** `/v1/policies`: the versions of a tenant's rules, and the active one. */
@ApiTags('policies')
@Controller('v1')
export class PoliciesController {
  constructor(
    private readonly published: PublishedPoliciesService,
    private readonly active: ActivePolicyService,
  ) {}

  @Get('policies')
  @Roles()
  @ApiOperation({ summary: 'List policies' })
  @Answer(policyPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.published.list(tenant_id, query);
  }

  @Post('policies')
  @Roles('policy_admin')
  @ApiOperation({ summary: 'Publish a policy' })
  @Answer(publishedPolicy, { status: 201 })
  async publish(
    @CurrentCaller() caller: Caller,
    @Body({ schema: publishBody }) body: PublishRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.published.publish(caller, body, { headers }));
  }

  @Get('policies/active')
  @Roles()
  @ApiOperation({ summary: 'Read the active policy and its history' })
  @Answer(activePolicy)
  readActive(@CurrentCaller() { tenant_id }: Caller, @Res({ passthrough: true }) reply: HttpReply) {
    return withHeaders(reply, this.active.read(tenant_id));
  }

  @Put('policies/active')
  @Roles('policy_admin')
  @Edit()
  @ApiOperation({ summary: 'Activate a policy, and optionally a shadow policy' })
  @Answer(changedActivePolicy)
  async activate(
    @CurrentCaller() caller: Caller,
    @Body({ schema: activateRequest }) body: ActivateRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.active.activate(caller, body, { headers }));
  }

  // In Fastify's routes a double colon is a literal colon.
  @Post('policies::rollback')
  @Roles('policy_admin')
  @Change()
  @ApiOperation({ summary: 'Roll back to the previously active policy' })
  @Answer(changedActivePolicy)
  async rollBack(@CurrentCaller() caller: Caller, @Headers() headers: IncomingHttpHeaders, @Res({ passthrough: true }) reply: HttpReply) {
    return withHeaders(reply, await this.active.rollBack(caller, { headers }));
  }

  @Get('policies/settings')
  @Roles()
  @ApiOperation({ summary: 'Read the policy settings' })
  @Answer(policySettingsAnswer)
  settings(@CurrentCaller() { tenant_id }: Caller, @Res({ passthrough: true }) reply: HttpReply) {
    return withHeaders(reply, this.active.settings(tenant_id));
  }

  @Put('policies/settings')
  @Roles('policy_admin')
  @Edit()
  @ApiOperation({ summary: 'Change the policy settings' })
  @Answer(policySettingsAnswer)
  async changeSettings(
    @CurrentCaller() caller: Caller,
    @Body({ schema: policySettings }) body: PolicySettings,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.active.changeSettings(caller, body, { headers }));
  }

  @Get('policies/:version')
  @Roles()
  @ApiOperation({ summary: 'Read a policy' })
  @Answer(policyRead)
  read(@CurrentCaller() { tenant_id }: Caller, @Param('version') version: string, @Res({ passthrough: true }) reply: HttpReply) {
    return withHeaders(reply, this.published.read(tenant_id, version));
  }
}
