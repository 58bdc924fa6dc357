import { type Caller, Refusal, type Seen } from '@countersign/calls';
import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { sendFile } from '../answers/send-file.js';
import { Roles } from '../http/access.decorator.js';
import { Answer, AnswersIn, described } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { viewsHeader } from '../positions/positions.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { type BillingRequest, billingPeriods, billingQuery } from './billing.schemas.js';
import { type BillingFile, BillingService } from './billing.service.js';

const fileHeaders = described({
  'Countersign-Period': '`closed`, or `provisional` while the lines still change',
  'Countersign-Lines-Digest': 'for a closed month: `sha-256:` and the digest of its lines as NDJSON',
});

/** `/v1/usage/billing`: a month's billing lines, which never change once the month is closed. */
@ApiTags('usage')
@Roles('operator', 'auditor')
@Controller('v1/usage/billing')
export class UsageBillingController {
  constructor(private readonly billing: BillingService) {}

  @Get()
  @ApiOperation({ summary: "Read a month's billing lines" })
  @AnswersIn(['application/x-ndjson', 'text/csv'], 'one line for each agent, case and tool', { ...fileHeaders, ...viewsHeader })
  async read(
    @CurrentCaller() { tenant_id }: Caller,
    @Query({ schema: billingQuery }) query: BillingRequest,
    @SeenPositions() seen: Seen,
    @Res() reply: HttpReply,
  ) {
    const file = await this.billing.lines(tenant_id, query, seen);
    if (file instanceof Refusal) return file;
    await sendFile(reply, headersOf(file), file.chunks);
    return undefined;
  }

  @Get('periods')
  @ApiOperation({ summary: 'List the closed months' })
  @Answer(billingPeriods)
  periods(@CurrentCaller() { tenant_id }: Caller) {
    return { items: this.billing.closedPeriods(tenant_id) };
  }
}

function headersOf({ content_type, digest, is_current }: BillingFile): Record<string, string> {
  return {
    ...(is_current ? {} : { 'countersign-views': 'behind' }),
    'content-type': content_type,
    'cache-control': 'no-store',
    'countersign-period': digest === undefined ? 'provisional' : 'closed',
    ...(digest === undefined ? {} : { 'countersign-lines-digest': `sha-256:${digest}` }),
  };
}
