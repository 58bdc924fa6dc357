import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '@countersign/calls';
import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { withHeaders } from '../answers/with-headers.js';
import { Edit } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { AllowedWhileDamaged } from '../http/damaged-record.guard.js';
import type { HttpReply } from '../http/reply.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { type ImportRequest, importAnswer, importedDocument, importPage, importPlan, importRequest } from './openapi-imports.schemas.js';
import { OpenApiImportsService } from './openapi-imports.service.js';

/** `/v1/openapi-imports`: the operations of OpenAPI documents as tools. */
@ApiTags('tools')
@Controller('v1')
export class OpenApiImportsController {
  constructor(private readonly imports: OpenApiImportsService) {}

  @Get('openapi-imports')
  @Roles()
  @ApiOperation({ summary: 'List imported OpenAPI documents' })
  @Answer(importPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.imports.list(tenant_id, query);
  }

  @Get('openapi-imports/:name')
  @Roles()
  @ApiOperation({ summary: 'Read an imported OpenAPI document' })
  @Answer(importAnswer)
  read(@CurrentCaller() { tenant_id }: Caller, @Param('name') name: string) {
    return this.imports.get(tenant_id, name);
  }

  // A double colon is a literal one in Fastify's routes.
  @Post('openapi-imports::plan')
  @HttpCode(200)
  @Roles('tool_author')
  @AllowedWhileDamaged()
  @ApiOperation({ summary: 'Show what the import of an OpenAPI document would do; nothing is recorded' })
  @Answer(importPlan)
  plan(@CurrentCaller() caller: Caller, @Body({ schema: importRequest }) body: ImportRequest) {
    return this.imports.plan(caller, body);
  }

  @Post('openapi-imports')
  @Roles('tool_author')
  @Edit()
  @ApiOperation({ summary: 'Import an OpenAPI document: a tool for each operation' })
  @Answer(importedDocument, { status: 201 })
  async run(
    @CurrentCaller() caller: Caller,
    @Body({ schema: importRequest }) body: ImportRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.imports.run(caller, body, { headers }));
  }
}
