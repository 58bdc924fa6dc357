import { type Caller, Views } from '@countersign/calls';
import { DAY_MS, qualityBy, qualityOf } from '@countersign/domain';
import { countedVotes } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import type { QualityQuery } from './approval-requests.schemas.js';
import type { QualityAnswer } from './right-answers.schemas.js';

const DECISIONS_MAX = 20_000;

/** How well approvers decide, per approver and rule, and where approval has become a reflex. */
@Injectable()
export class ApprovalQualityService {
  constructor(
    private readonly views: Views,
    private readonly configuration: ConfigurationService,
  ) {}

  async read({ tenant_id }: Pick<Caller, 'tenant_id'>, { days, price_of_hour }: QualityQuery): Promise<QualityAnswer> {
    const since_ms = this.configuration.clock.now_ms() - days * DAY_MS;
    const decisions = await countedVotes(this.views.store, { tenant_id, since_ms, limit: DECISIONS_MAX });
    const price = price_of_hour ?? null;
    const starts_at = new Date(since_ms).toISOString();
    return {
      starts_at,
      since: starts_at,
      truncated: decisions.length === DECISIONS_MAX,
      all: qualityOf(decisions, price),
      approvers: qualityBy(decisions, (one) => one.voter_id, price),
      rules: qualityBy(decisions, (one) => one.rule ?? 'unknown', price),
    };
  }
}
