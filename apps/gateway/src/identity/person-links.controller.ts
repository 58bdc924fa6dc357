import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '@countersign/calls';
import { Body, Controller, Delete, Get, Headers, Param, Put, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { withHeaders } from '../answers/with-headers.js';
import { Edit } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { Answer, NoAnswer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { type PersonLinkRequest, personLink, personLinkPage, personLinkRequest } from './person-links.schemas.js';
import { PersonLinksService } from './person-links.service.js';

/** `/v1/person-links`: which identities belong to one person. */
@ApiTags('identity')
@Controller('v1/person-links')
export class PersonLinksController {
  constructor(private readonly links: PersonLinksService) {}

  @Get()
  @Roles('policy_admin', 'auditor')
  @ApiOperation({ summary: 'List person links' })
  @Answer(personLinkPage)
  list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return this.links.list(tenant_id, query);
  }

  @Get(':link_id')
  @Roles('policy_admin', 'auditor')
  @ApiOperation({ summary: 'Read a person link' })
  @Answer(personLink)
  read(@CurrentCaller() { tenant_id }: Caller, @Param('link_id') link_id: string, @Res({ passthrough: true }) reply: HttpReply) {
    return withHeaders(reply, this.links.read(tenant_id, link_id));
  }

  @Put(':link_id')
  @Roles('policy_admin')
  @Edit()
  @ApiOperation({ summary: 'Record that two identities are the same person, or different persons' })
  @Answer(personLink)
  async set(
    @CurrentCaller() caller: Caller,
    @Param('link_id') link_id: string,
    @Body({ schema: personLinkRequest }) body: PersonLinkRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    return withHeaders(reply, await this.links.set(caller, link_id, body, { headers }));
  }

  @Delete(':link_id')
  @Roles('policy_admin')
  @Edit()
  @ApiOperation({ summary: 'Remove a person link' })
  @NoAnswer()
  remove(@CurrentCaller() caller: Caller, @Param('link_id') link_id: string, @Headers() headers: IncomingHttpHeaders) {
    return this.links.remove(caller, link_id, { headers });
  }
}
