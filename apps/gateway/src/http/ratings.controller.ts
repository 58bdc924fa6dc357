import { type Caller, noSuchTool, noSuchVersion, Refusal, subjectsRequest, Views, viewsBehind } from '@countersign/calls';
import { LOCAL_PROVIDER, toolVersions } from '@countersign/domain';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { ConfigurationRoom } from '../configuration/configuration-room.js';
import { parseBody } from '../requests/body-issues.js';
import { ownTool, raterOf } from '../trust/rating-rights.js';
import { time } from '../trust/trust-face.js';
import { type RatingRow, TrustRoom } from '../trust/trust-room.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { positionText, seenOf } from './positions.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

export const ratingRequest = z.strictObject({
  rating: z.number().min(0).max(5).describe('stars'),
  version: z.string().min(1).max(64).optional().describe('the version that was used; absent: the newest active one'),
  comment: z.string().min(1).max(2000).optional(),
  subjects: subjectsRequest,
});

/** `/v1/tools/{name}/ratings`: what those who used a tool think of it; one rating each, the newest counts. */
@Controller('v1/tools/:name/ratings')
export class RatingsController {
  constructor(
    private readonly face: Face,
    private readonly room: TrustRoom,
    private readonly configuration: ConfigurationRoom,
    private readonly views: Views,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const page = listed(request);
      if (page instanceof Refusal) return page;
      const { name } = request.params as { name: string };
      const { state } = this.configuration;
      if (toolVersions(state, caller.tenant_id, name).length === 0) return noSuchTool(state, caller.tenant_id, name);
      if (!(await this.views.current(seenOf(request)))) return viewsBehind();
      return ok(pageOf(await this.room.ratings(caller.tenant_id, name), page, ({ rater }) => rater, ratingFace));
    });
  }

  @Post()
  rate(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const body = parseBody(ratingRequest, request.body);
      if (body instanceof Refusal) return body;
      const { name } = request.params as { name: string };
      const { state } = this.configuration;
      const versions = toolVersions(state, caller.tenant_id, name);
      if (versions.length === 0) return noSuchTool(state, caller.tenant_id, name);
      const newest = versions.find(({ lifecycle }) => lifecycle === 'active') ?? versions[0];
      const found = body.version === undefined ? newest : versions.find(({ tool }) => tool.version === body.version);
      if (!found) return noSuchVersion(state, caller.tenant_id, name, body.version ?? '');
      const own = versions
        .map(({ tool }) => ownTool(state, caller, tool.contract.provider ?? LOCAL_PROVIDER))
        .find((why) => why !== undefined);
      if (own) return new Refusal('forbidden', own);
      if (!(await this.views.current(seenOf(request)))) return viewsBehind();
      const { kind, id } = caller.principal;
      if (!(await this.room.hasUsed(caller.tenant_id, name, `${kind}:${id}`)))
        return new Refusal('forbidden', `only who has used ${name}, with an outcome that was verified where the tool can, may rate it`);
      return this.recorded(caller, name, found.tool.version, body);
    });
  }

  private async recorded(caller: Caller, tool: string, version: string, body: z.infer<typeof ratingRequest>): Promise<Answer | Refusal> {
    const rater = raterOf(this.configuration.state, caller);
    const { rating, subjects } = body;
    const { commands } = this.room.parts;
    const comment = await commands.sealer.about(caller.tenant_id, subjects, body.comment ?? null);
    if (comment instanceof Refusal) return comment;
    const rated_at_ms = this.configuration.clock.now_ms();
    const said = { tool, version, rating, comment, rater, by: caller.principal, rated_at_ms };
    const at = await commands.say(caller.tenant_id, 'tool_rated', said);
    this.views.answered.note(at);
    const { kind, id } = caller.principal;
    const face = ratingFace({ rating, comment, rater, version, rated_at_ms, by: { kind, id } });
    return { status: 201, body: face, headers: { 'countersign-position': positionText(at) } };
  }
}

function ratingFace({ rated_at_ms, ...rating }: RatingRow): Record<string, unknown> {
  return { ...rating, rated_at: time(rated_at_ms) };
}
