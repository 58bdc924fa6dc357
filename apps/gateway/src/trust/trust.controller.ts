import type { Caller, Seen } from '@countersign/calls';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import {
  agentTrust,
  type PastQuery,
  pastQuery,
  providerTrust,
  type TrustEventsQuery,
  type TrustQuery,
  toolTrust,
  trustEventPage,
  trustEventsQuery,
  trustQuery,
} from './trust.schemas.js';
import { TrustService } from './trust.service.js';

/** `/v1/tools/{name}/trust` and `/v1/trust/…`. */
@ApiTags('trust')
@Controller('v1')
export class TrustController {
  constructor(private readonly trust: TrustService) {}

  @Get('tools/:name/trust')
  @Roles()
  @ApiOperation({ summary: 'Read the trust score of a version and its terms' })
  @Answer(toolTrust)
  tool(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Query({ schema: trustQuery }) query: TrustQuery,
    @SeenPositions() seen: Seen,
  ) {
    return this.trust.tool(caller, name, query, seen);
  }

  @Get('tools/:name/trust/events')
  @Roles()
  @ApiOperation({ summary: 'List the events behind the trust score of a version' })
  @Answer(trustEventPage)
  events(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Query({ schema: trustEventsQuery }) query: TrustEventsQuery,
    @SeenPositions() seen: Seen,
  ) {
    return this.trust.events(caller, name, query, seen);
  }

  @Get('trust/providers/:provider')
  @Roles()
  @ApiOperation({ summary: 'Read the trust score of a provider' })
  @Answer(providerTrust)
  provider(
    @CurrentCaller() caller: Caller,
    @Param('provider') provider: string,
    @Query({ schema: pastQuery }) query: PastQuery,
    @SeenPositions() seen: Seen,
  ) {
    return this.trust.provider(caller, provider, query, seen);
  }

  @Get('trust/agents/:agent')
  @Roles('operator', 'auditor', 'policy_admin', 'approver')
  @ApiOperation({ summary: 'Read the trust score of an agent' })
  @Answer(agentTrust)
  agent(
    @CurrentCaller() caller: Caller,
    @Param('agent') agent: string,
    @Query({ schema: pastQuery }) query: PastQuery,
    @SeenPositions() seen: Seen,
  ) {
    return this.trust.agent(caller, agent, query, seen);
  }
}
