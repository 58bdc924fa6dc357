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
import { type PersonalDataRequest, personalDataRequest, personalRuleAnswer, personalRulePage, ruleId } from './personal-data.schemas.js';
import { PersonalDataService } from './personal-data.service.js';

/** `/v1/personal-data`: rules that find personal data and its subjects in the calls of a tenant. */
@ApiTags('personal data')
@Controller('v1/personal-data')
export class PersonalDataController {
  constructor(private readonly rules: PersonalDataService) {}

  @Get()
  @Roles()
  @ApiOperation({ summary: 'List personal-data rules' })
  @Answer(personalRulePage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.rules.list(tenant_id, query);
  }

  @Get(':rule_id')
  @Roles()
  @ApiOperation({ summary: 'Read a rule' })
  @Answer(personalRuleAnswer)
  read(@CurrentCaller() { tenant_id }: Caller, @Param('rule_id') rule_id: string, @Res({ passthrough: true }) reply: HttpReply) {
    const found = this.rules.read(tenant_id, rule_id);
    if (found instanceof Refusal) return found;
    reply.header('etag', found.etag);
    return found.rule;
  }

  @Put(':rule_id')
  @Roles('policy_admin')
  @Edit()
  @ApiOperation({ summary: 'Set a personal-data rule' })
  @Answer(personalRuleAnswer)
  async set(
    @CurrentCaller() caller: Caller,
    @Param('rule_id', { schema: ruleId }) rule_id: string,
    @Body({ schema: personalDataRequest }) body: PersonalDataRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const changed = await this.rules.set(caller, rule_id, body, { headers });
    if (changed instanceof Refusal) return changed;
    reply.header('etag', changed.etag);
    return changed.rule;
  }

  @Delete(':rule_id')
  @Roles('policy_admin')
  @Edit()
  @ApiOperation({ summary: 'Remove a rule' })
  @NoAnswer()
  async remove(@CurrentCaller() caller: Caller, @Param('rule_id') rule_id: string, @Headers() headers: IncomingHttpHeaders) {
    const removed = await this.rules.remove(caller, rule_id, { headers });
    return removed instanceof Refusal ? removed : undefined;
  }
}
