import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '@countersign/calls';
import { Controller, Get, Headers, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { withHeaders } from '../answers/with-headers.js';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { viewsHeader } from '../positions/positions.js';
import { type SecurityEventQuery, securityEventPage, securityEventQuery } from './security-events.schemas.js';
import { SecurityEventsService } from './security-events.service.js';

/** `GET /v1/security-events`: refused, forged or malformed requests and records. */
@ApiTags('security')
@Controller('v1/security-events')
export class SecurityEventsController {
  constructor(private readonly events: SecurityEventsService) {}

  @Get()
  @Roles('auditor', 'operator')
  @ApiOperation({ summary: 'List security events, newest first' })
  @Answer(securityEventPage, { headers: viewsHeader })
  async list(
    @CurrentCaller() { tenant_id }: Caller,
    @Query({ schema: securityEventQuery }) query: SecurityEventQuery,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.events.list(tenant_id, query, { headers }));
  }
}
