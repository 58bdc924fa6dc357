import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, Views } from '@countersign/calls';
import { Controller, Get, Headers, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { behindHeader, viewsHeader } from '../positions/positions.js';
import { ApprovalQualityService } from './approval-quality.service.js';
import { type QualityQuery, qualityQuery } from './approval-requests.schemas.js';
import { qualityAnswer } from './right-answers.schemas.js';

/** `GET /v1/approvals/quality`: how well approvers decide. */
@ApiTags('approvals')
@Controller('v1/approvals/quality')
export class ApprovalQualityController {
  constructor(
    private readonly quality: ApprovalQualityService,
    private readonly views: Views,
  ) {}

  @Get()
  @Roles('auditor', 'operator', 'policy_admin')
  @ApiOperation({ summary: 'Read the quality of approval decisions' })
  @Answer(qualityAnswer, { headers: viewsHeader })
  async read(
    @CurrentCaller() caller: Caller,
    @Query({ schema: qualityQuery }) query: QualityQuery,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    reply.headers(await behindHeader(this.views, { headers }));
    return this.quality.read(caller, query);
  }
}
