import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, Refusal } from '@countersign/calls';
import { Body, Controller, Delete, Get, Headers, Param, Put, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Edit } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { Answer, NoAnswer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { changedToolPolicy, type ToolPolicyRequest, toolPolicy, toolPolicyPage, toolPolicyRequest } from './tool-policies.schemas.js';
import { ToolPoliciesService } from './tool-policies.service.js';

/** `/v1/policies/tools`: the tenant's overrides of tiers. */
@ApiTags('policies')
@Controller('v1/policies/tools')
export class ToolPoliciesController {
  constructor(private readonly policies: ToolPoliciesService) {}

  @Get()
  @Roles()
  @ApiOperation({ summary: 'List tiers' })
  @Answer(toolPolicyPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.policies.list(tenant_id, query);
  }

  @Get(':tool')
  @Roles()
  @ApiOperation({ summary: 'Read the tier of a tool' })
  @Answer(toolPolicy)
  read(@CurrentCaller() { tenant_id }: Caller, @Param('tool') tool: string, @Res({ passthrough: true }) reply: HttpReply) {
    const found = this.policies.read(tenant_id, tool);
    if (found instanceof Refusal) return found;
    reply.header('etag', found.etag);
    return found.policy;
  }

  @Put(':tool')
  @Roles('policy_admin')
  @Edit()
  @ApiOperation({ summary: 'Set the tier of a tool' })
  @Answer(changedToolPolicy)
  async set(
    @CurrentCaller() caller: Caller,
    @Param('tool') tool: string,
    @Body({ schema: toolPolicyRequest }) body: ToolPolicyRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const changed = await this.policies.set(caller, tool, body, { headers });
    if (changed instanceof Refusal) return changed;
    reply.header('etag', changed.etag);
    return changed.policy;
  }

  @Delete(':tool')
  @Roles('policy_admin')
  @Edit()
  @ApiOperation({ summary: 'Reset the tier of a tool to its default' })
  @NoAnswer()
  async remove(@CurrentCaller() caller: Caller, @Param('tool') tool: string, @Headers() headers: IncomingHttpHeaders) {
    const removed = await this.policies.remove(caller, tool, { headers });
    return removed instanceof Refusal ? removed : undefined;
  }
}
