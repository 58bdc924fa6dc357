import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, Refusal } from '@countersign/calls';
import type { SagaDefinitionRequest } from '@countersign/definitions';
import { Body, Controller, Get, Headers, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { withHeaders } from '../answers/with-headers.js';
import { RolesForYaml } from '../bounds/yaml.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { AlsoAnswers, Answer, AnswersIn } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { AllowedWhileDamaged } from '../http/damaged-record.guard.js';
import type { HttpReply } from '../http/reply.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { definitionBody } from './refused-definition.js';
import { definitionCheck, definitionPage, definitionVersion, newestDefinition, publishedDefinition } from './saga-definitions.schemas.js';
import { SagaDefinitionsService } from './saga-definitions.service.js';

const CHART_HEADERS = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };

/** `/v1/saga-definitions`: what the sagas of a tenant do, by name and version. */
@ApiTags('saga-definitions')
@Controller('v1')
export class SagaDefinitionsController {
  constructor(private readonly definitions: SagaDefinitionsService) {}

  @Get('saga-definitions')
  @Roles()
  @ApiOperation({ summary: 'List saga definitions' })
  @Answer(definitionPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.definitions.list(tenant_id, query);
  }

  // A double colon is a literal one in Fastify's routes.
  @Post('saga-definitions::check')
  @RolesForYaml('policy_admin', 'tool_author', 'operator')
  @AllowedWhileDamaged()
  @ApiOperation({ summary: 'Check a saga definition; nothing is recorded' })
  @Answer(definitionCheck)
  check(@CurrentCaller() { tenant_id }: Caller, @Body({ schema: definitionBody }) body: SagaDefinitionRequest) {
    return this.definitions.check(tenant_id, body);
  }

  @Get('saga-definitions/:name')
  @Roles()
  @ApiOperation({ summary: 'Read the newest version of a saga definition' })
  @Answer(newestDefinition)
  newest(@CurrentCaller() { tenant_id }: Caller, @Param('name') name: string, @Res({ passthrough: true }) reply: HttpReply) {
    return withHeaders(reply, this.definitions.newest(tenant_id, name));
  }

  @Get('saga-definitions/:name/versions/:version')
  @Roles()
  @ApiOperation({ summary: 'Read a version of a saga definition' })
  @Answer(definitionVersion)
  read(
    @CurrentCaller() { tenant_id }: Caller,
    @Param('name') name: string,
    @Param('version') version: string,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, this.definitions.read(tenant_id, name, version));
  }

  @Put('saga-definitions/:name/versions/:version')
  @RolesForYaml('policy_admin')
  @ApiOperation({ summary: 'Publish a version of a saga definition' })
  @Answer(publishedDefinition, { status: 201 })
  @AlsoAnswers(200, publishedDefinition, 'the same content was published before')
  async publish(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Param('version') version: string,
    @Body({ schema: definitionBody }) body: SagaDefinitionRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const published = await this.definitions.publish(caller, { name, version }, body, { headers });
    if (!(published instanceof Refusal) && published.was_known) reply.code(200);
    return withHeaders(reply, published);
  }

  @Get('saga-definitions/:name/versions/:version/chart')
  @Roles()
  @ApiOperation({ summary: 'Draw a version of a saga definition as a Mermaid flowchart' })
  @AnswersIn('text/plain', 'a Mermaid flowchart; no text of the definition is syntax in it')
  chart(
    @CurrentCaller() { tenant_id }: Caller,
    @Param('name') name: string,
    @Param('version') version: string,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const chart = this.definitions.chart(tenant_id, name, version);
    if (!(chart instanceof Refusal)) reply.headers(CHART_HEADERS);
    return chart;
  }
}
