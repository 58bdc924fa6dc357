import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { upstreamCommandPage } from './upstreams.schemas.js';
import { UpstreamsService } from './upstreams.service.js';

/** `GET /v1/upstream-commands`: the programs of this installation that an upstream may name. Their arguments are no tenant's business. */
@ApiTags('upstreams')
@Roles('operator', 'tool_author', 'policy_admin', 'auditor')
@Controller('v1/upstream-commands')
export class UpstreamCommandsController {
  constructor(private readonly upstreams: UpstreamsService) {}

  @Get()
  @ApiOperation({ summary: 'List the names of commands that upstreams may use' })
  @Answer(upstreamCommandPage)
  list() {
    return this.upstreams.commands();
  }
}
