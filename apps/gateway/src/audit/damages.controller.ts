import { type Caller, Refusal } from '@countersign/calls';
import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { AllowedWhileDamaged } from '../http/damaged-record.guard.js';
import type { HttpReply } from '../http/reply.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { positionText } from '../positions/positions.js';
import { type AcceptDamageRequest, acceptDamageRequest, acceptedDamage, damagePage } from './damages.schemas.js';
import { DamagesService } from './damages.service.js';

/** `/v1/damages`: records that differ from what was signed, and the decision to accept them. */
@ApiTags('audit')
@Controller('v1/damages')
export class DamagesController {
  constructor(private readonly damages: DamagesService) {}

  @Get()
  @Roles('operator', 'auditor')
  @ApiOperation({ summary: 'List the places where the record differs from its signature' })
  @Answer(damagePage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.damages.list(tenant_id, query);
  }

  @Post('accept')
  @Roles('operator')
  @AllowedWhileDamaged()
  @ApiOperation({ summary: 'Accept damage that was restored or is lost. The decision is recorded' })
  @Answer(acceptedDamage)
  async accept(
    @CurrentCaller() caller: Caller,
    @Body({ schema: acceptDamageRequest }) body: AcceptDamageRequest,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const accepted = await this.damages.accept(caller, body);
    if (accepted instanceof Refusal) return accepted;
    reply.header('countersign-position', positionText(accepted.at));
    return accepted.answer;
  }
}
