import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, Refusal } from '@countersign/calls';
import { Body, Controller, Get, Headers, Post, Put, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Edit } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import {
  type RetentionRequest,
  type RetentionRunRequest,
  retentionAnswer,
  retentionRequest,
  retentionRunAnswer,
  retentionRunRequest,
} from './retention.schemas.js';
import { RetentionService } from './retention.service.js';

/** `/v1/retention`: retention of encrypted data by its markings. Keys are also destroyed every hour, without a request. */
@ApiTags('personal data')
@Controller('v1/retention')
export class RetentionController {
  constructor(private readonly retention: RetentionService) {}

  @Get()
  @Roles()
  @ApiOperation({ summary: 'Read the retention of sealed data' })
  @Answer(retentionAnswer)
  read(@CurrentCaller() { tenant_id }: Caller, @Res({ passthrough: true }) reply: HttpReply) {
    const { retention, etag } = this.retention.read(tenant_id);
    reply.header('etag', etag);
    return retention;
  }

  @Put()
  @Roles('policy_admin')
  @Edit()
  @ApiOperation({ summary: 'Set the retention of sealed data' })
  @Answer(retentionAnswer)
  async set(
    @CurrentCaller() caller: Caller,
    @Body({ schema: retentionRequest }) body: RetentionRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const changed = await this.retention.set(caller, body, { headers });
    if (changed instanceof Refusal) return changed;
    reply.header('etag', changed.etag);
    return changed.retention;
  }

  @Post('runs')
  @Roles('policy_admin')
  @ApiOperation({ summary: 'Destroy the keys of data past its retention' })
  @ApiBody({ required: false })
  @Answer(retentionRunAnswer)
  async run(@CurrentCaller() caller: Caller, @Body({ schema: retentionRunRequest }) { dry_run }: RetentionRunRequest) {
    return { dry_run, cutoffs: await this.retention.run(caller, dry_run) };
  }
}
