import type { Caller } from '@countersign/calls';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { pageOf } from '../lists/lists.js';
import { type PageQuery, pageQuery, storeQuery } from '../lists/page-query.js';
import { CircuitReader } from './circuit-reader.js';
import { circuitPage } from './circuits.schemas.js';

/** `GET /v1/circuits`: versions of tools that fail. */
@ApiTags('tools')
@Controller('v1/circuits')
export class CircuitsController {
  constructor(private readonly circuits: CircuitReader) {}

  @Get()
  @Roles()
  @ApiOperation({ summary: 'List the circuits of tools that failed lately or are open' })
  @Answer(circuitPage)
  async list(@CurrentCaller() { tenant_id }: Caller, @Query({ schema: pageQuery }) query: PageQuery) {
    return pageOf(
      await this.circuits.list(tenant_id),
      storeQuery(query),
      // A cursor cannot hold the plus of a build.
      ({ tool, version }) => `${tool}:${version.replace('+', '-')}`,
      (circuit) => circuit,
    );
  }
}
