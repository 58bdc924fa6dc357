import { type Caller, Refusal, type Seen } from '@countersign/calls';
import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { type PageQuery, pageQuery } from '../lists/page-query.js';
import { positionText } from '../positions/positions.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { type RatingRequest, ratingAnswer, ratingPage, ratingRequest } from './ratings.schemas.js';
import { RatingsService } from './ratings.service.js';

/** `/v1/tools/{name}/ratings`. */
@ApiTags('trust')
@Controller('v1/tools/:name/ratings')
export class RatingsController {
  constructor(private readonly ratings: RatingsService) {}

  @Get()
  @Roles()
  @ApiOperation({ summary: 'Read the ratings of a tool' })
  @Answer(ratingPage)
  list(
    @CurrentCaller() { tenant_id }: Caller,
    @Param('name') name: string,
    @Query({ schema: pageQuery }) query: PageQuery,
    @SeenPositions() seen: Seen,
  ) {
    return this.ratings.list(tenant_id, name, query, seen);
  }

  @Post()
  @Roles()
  @ApiOperation({ summary: 'Rate a tool that you have used' })
  @Answer(ratingAnswer, { status: 201 })
  async rate(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Body({ schema: ratingRequest }) body: RatingRequest,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const made = await this.ratings.rate(caller, name, body, seen);
    if (made instanceof Refusal) return made;
    reply.header('countersign-position', positionText(made.at));
    return made.rating;
  }
}
