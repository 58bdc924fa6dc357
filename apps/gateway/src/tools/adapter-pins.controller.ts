import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, Refusal } from '@countersign/calls';
import { Body, Controller, Get, Headers, Param, Put, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Edit } from '../configuration/edit.decorator.js';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { type AdapterPinRequest, adapterPinPage, adapterPinRequest, changedAdapterPin } from './adapter-pins.schemas.js';
import { AdapterPinsService } from './adapter-pins.service.js';

/** `/v1/adapters`: the version of an adapter, and of its protocol, that an environment runs tools on. */
@ApiTags('tools')
@Controller('v1/adapters')
export class AdapterPinsController {
  constructor(private readonly pins: AdapterPinsService) {}

  @Get()
  @Roles('operator', 'policy_admin')
  @ApiOperation({ summary: 'List pinned adapters' })
  @Answer(adapterPinPage)
  list(@Query({ schema: pageQuery }) query: PageQuery) {
    return this.pins.list(query);
  }

  @Put(':adapter/environments/:environment')
  @Roles('admin')
  @Edit()
  @ApiOperation({ summary: 'Pin an adapter in an environment' })
  @Answer(changedAdapterPin)
  async set(
    @CurrentCaller() caller: Caller,
    @Param('adapter') adapter: string,
    @Param('environment') environment: string,
    @Body({ schema: adapterPinRequest }) body: AdapterPinRequest,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const changed = await this.pins.set(caller, { adapter, environment }, body, { headers });
    if (changed instanceof Refusal) return changed;
    reply.header('etag', changed.etag);
    return changed.pin;
  }
}
