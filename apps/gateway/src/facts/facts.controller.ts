import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '@countersign/calls';
import { Body, Controller, Delete, Get, Headers, Param, Patch, Put, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { withHeaders } from '../answers/with-headers.js';
import { Edit } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { Answer, NoAnswer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import {
  changedFactTable,
  type FactsChange,
  type FactsRequest,
  factsChange,
  factsRequest,
  factTable,
  factTablePage,
  factTableVersionPage,
} from './facts.schemas.js';
import { FactsService } from './facts.service.js';

/** `/v1/facts`: the fact tables of a tenant. */
@ApiTags('facts')
@Controller('v1/facts')
export class FactsController {
  constructor(private readonly facts: FactsService) {}

  @Get()
  @Roles()
  @ApiOperation({ summary: 'List fact tables' })
  @Answer(factTablePage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.facts.list(tenant_id, query);
  }

  @Get(':table')
  @Roles()
  @ApiOperation({ summary: 'Read a fact table' })
  @Answer(factTable)
  read(@CurrentCaller() { tenant_id }: Caller, @Param('table') table: string, @Res({ passthrough: true }) reply: HttpReply) {
    return withHeaders(reply, this.facts.read(tenant_id, table));
  }

  @Get(':table/versions')
  @Roles()
  @ApiOperation({ summary: 'List the versions of a fact table, newest first' })
  @Answer(factTableVersionPage)
  versions(@CurrentCaller() { tenant_id }: Caller, @Param('table') table: string) {
    return this.facts.versions(tenant_id, table);
  }

  @Put(':table')
  @Roles('policy_admin')
  @Edit()
  @ApiOperation({ summary: 'Set all rows of a fact table' })
  @Answer(changedFactTable)
  async replace(
    @CurrentCaller() caller: Caller,
    @Param('table') table: string,
    @Body({ schema: factsRequest }) body: FactsRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.facts.replace(caller, table, body, { headers }));
  }

  @Patch(':table')
  @Roles('policy_admin')
  @Edit()
  @ApiOperation({ summary: 'Add and remove rows of a fact table' })
  @Answer(changedFactTable)
  async merge(
    @CurrentCaller() caller: Caller,
    @Param('table') table: string,
    @Body({ schema: factsChange }) body: FactsChange,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.facts.merge(caller, table, body, { headers }));
  }

  @Delete(':table')
  @Roles('policy_admin')
  @Edit()
  @ApiOperation({ summary: 'Drop a fact table' })
  @NoAnswer()
  drop(@CurrentCaller() caller: Caller, @Param('table') table: string, @Headers() headers: IncomingHttpHeaders) {
    return this.facts.drop(caller, table, { headers });
  }
}
