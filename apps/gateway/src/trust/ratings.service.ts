import { type Caller, noSuchTool, noSuchVersion, Refusal, type Seen, Views, viewsBehind } from '@countersign/calls';
import { LOCAL_PROVIDER, type TenantToolVersion, toolVersions } from '@countersign/domain';
import type { LogPosition } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { pageOf } from '../lists/lists.js';
import { type Page, type PageQuery, storeQuery } from '../lists/page-query.js';
import { ownTool, raterOf } from './rating-rights.js';
import type { RatingAnswer, RatingRequest } from './ratings.schemas.js';
import { time } from './trust-answers.js';
import { type RatingRow, TrustReader } from './trust-reader.js';

/** A rating and its log position. */
export interface RecordedRating {
  rating: RatingAnswer;
  at: LogPosition;
}

const answerOf = ({ rated_at_ms, ...rating }: RatingRow): RatingAnswer => ({ ...rating, rated_at: time(rated_at_ms) });

/** Ratings by principals that used a tool: one each, the newest counts. */
@Injectable()
export class RatingsService {
  constructor(
    private readonly trust: TrustReader,
    private readonly configuration: ConfigurationService,
    private readonly views: Views,
  ) {}

  async list(tenant_id: string, tool: string, query: PageQuery, seen: Seen): Promise<Page<RatingAnswer> | Refusal> {
    const { state } = this.configuration;
    if (toolVersions(state, tenant_id, tool).length === 0) return noSuchTool(state, tenant_id, tool);
    if (!(await this.views.current(seen))) return viewsBehind();
    return pageOf(await this.trust.ratings(tenant_id, tool), storeQuery(query), ({ rater }) => rater, answerOf);
  }

  async rate(caller: Caller, tool: string, body: RatingRequest, seen: Seen): Promise<RecordedRating | Refusal> {
    const { state } = this.configuration;
    const versions = toolVersions(state, caller.tenant_id, tool);
    if (versions.length === 0) return noSuchTool(state, caller.tenant_id, tool);
    const newest = versions.find(({ lifecycle }) => lifecycle === 'active') ?? versions[0];
    const found = body.version === undefined ? newest : versions.find((one) => one.tool.version === body.version);
    if (!found) return noSuchVersion(state, caller.tenant_id, tool, body.version ?? '');
    return (await this.mayNot(caller, tool, versions, seen)) ?? this.recorded(caller, tool, found.tool.version, body);
  }

  private async mayNot(caller: Caller, name: string, versions: TenantToolVersion[], seen: Seen): Promise<Refusal | undefined> {
    const { state } = this.configuration;
    const own = versions
      .map(({ tool }) => ownTool(state, caller, tool.contract.provider ?? LOCAL_PROVIDER))
      .find((why) => why !== undefined);
    if (own) return new Refusal('forbidden', own, { reason: 'own_tool' });
    if (!(await this.views.current(seen))) return viewsBehind();
    const { kind, id } = caller.principal;
    if (await this.trust.hasUsed(caller.tenant_id, name, `${kind}:${id}`)) return undefined;
    return new Refusal(
      'forbidden',
      `only users of ${name} can rate it: make a call first, with a verified outcome if the tool supports verification`,
      {
        reason: 'tool_not_used',
      },
    );
  }

  private async recorded(caller: Caller, tool: string, version: string, body: RatingRequest): Promise<RecordedRating | Refusal> {
    const rater = raterOf(this.configuration.state, caller);
    const { rating, subjects } = body;
    const { commands } = this.trust.parts;
    const comment = await commands.sealer.about(caller.tenant_id, subjects, body.comment ?? null);
    if (comment instanceof Refusal) return comment;
    const rated_at_ms = this.configuration.clock.now_ms();
    const at = await commands.say(caller.tenant_id, 'tool_rated', {
      ...{ tool, version, rating, comment, rater },
      by: caller.principal,
      rated_at_ms,
    });
    this.views.answered.note(at);
    const { kind, id } = caller.principal;
    return { rating: answerOf({ rating, comment, rater, version, rated_at_ms, by: { kind, id } }), at };
  }
}
