import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, Refusal, type Seen } from '@countersign/calls';
import { Body, Controller, Headers, Param, Post, Put, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { Edit } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import {
  type AuditRequest,
  auditRequest,
  changedLifecycle,
  type EvaluationRequest,
  evaluationRequest,
  type LifecycleRequest,
  lifecycleRequest,
  type PinRequest,
  pinnedVersion,
  pinRequest,
} from './tool-lifecycle.schemas.js';
import { type TaggedRecord, ToolLifecycleService } from './tool-lifecycle.service.js';
import { toolVersionRecord } from './tool-record.schema.js';

const versionParams = z.object({ name: z.string(), version: z.string() });
type VersionParams = z.infer<typeof versionParams>;

/** `/v1/tools/{name}/versions/{version}/…`: lifecycle decisions about a version, and their evidence. */
@ApiTags('tools')
@Controller('v1/tools/:name/versions/:version')
export class ToolLifecycleController {
  constructor(private readonly lifecycles: ToolLifecycleService) {}

  @Put('lifecycle')
  @Roles('tool_author', 'policy_admin')
  @Edit()
  @ApiOperation({ summary: 'Promote, deprecate or block a version' })
  @Answer(changedLifecycle)
  async lifecycle(
    @CurrentCaller() caller: Caller,
    @Param({ schema: versionParams }) { name, version }: VersionParams,
    @Body({ schema: lifecycleRequest }) body: LifecycleRequest,
    @Headers() headers: IncomingHttpHeaders,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return answer(await this.lifecycles.decide({ caller, name, version, seen }, body, { headers }), reply);
  }

  @Put('pin')
  @Roles('tool_author', 'policy_admin')
  @Edit()
  @ApiOperation({ summary: 'Accept the contract that a version has now' })
  @Answer(pinnedVersion)
  async pin(
    @CurrentCaller() caller: Caller,
    @Param({ schema: versionParams }) { name, version }: VersionParams,
    @Body({ schema: pinRequest }) body: PinRequest,
    @Headers() headers: IncomingHttpHeaders,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return answer(await this.lifecycles.pin({ caller, name, version, seen }, body, { headers }), reply);
  }

  @Put('audit')
  @Roles('auditor')
  @Edit()
  @ApiOperation({ summary: 'Record the result of a security audit of a version' })
  @Answer(toolVersionRecord)
  async audit(
    @CurrentCaller() caller: Caller,
    @Param({ schema: versionParams }) { name, version }: VersionParams,
    @Body({ schema: auditRequest }) body: AuditRequest,
    @Headers() headers: IncomingHttpHeaders,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return answer(await this.lifecycles.audit({ caller, name, version, seen }, body, { headers }), reply);
  }

  @Post('evaluations')
  @Roles('tool_author')
  @ApiOperation({ summary: 'Record the result of its evaluation pack' })
  @Answer(toolVersionRecord, { status: 201 })
  async evaluate(
    @CurrentCaller() caller: Caller,
    @Param({ schema: versionParams }) { name, version }: VersionParams,
    @Body({ schema: evaluationRequest }) body: EvaluationRequest,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return answer(await this.lifecycles.evaluate({ caller, name, version, seen }, body), reply);
  }
}

/** The record with its ETag; 204 if the version was removed meanwhile. */
function answer(made: TaggedRecord | Refusal, reply: HttpReply): object | undefined {
  if (made instanceof Refusal) return made;
  if (made.record) reply.header('etag', made.etag);
  else reply.code(204);
  return made.record;
}
