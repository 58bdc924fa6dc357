import type { EventMap, Principal, ToolContract } from '@countersign/contracts';
import { evolveReported, type ReportedScores, trustFields } from '@countersign/domain';
import { FoldedTopics } from '@countersign/event-log/transport/folded-topics';
import type { AppDeps } from '../app-deps.js';

export const TRUST_TOPIC = 'trust-view';
const SILENCE_MAX_MS = 10_000;
const NOTHING: Readonly<Record<string, number | string>> = {};

/** The scores that trust-view publishes, folded by each process for itself: a decision needs no store request for them. */
export class TrustScoreCache {
  private readonly folded: FoldedTopics<ReportedScores>;

  constructor({ log, codec, schemas }: Pick<AppDeps, 'log' | 'codec' | 'schemas'>) {
    this.folded = new FoldedTopics<ReportedScores>({
      log,
      codec,
      topics: [TRUST_TOPIC],
      initial: new Map(),
      evolve: (scores, { event_type, event }) =>
        event_type === 'trust_score_changed' ? evolveReported(scores, event as EventMap['trust_score_changed']) : scores,
      ...(schemas ? { schemas } : {}),
    });
  }

  get scores(): ReportedScores {
    return this.folded.state;
  }

  /** Resolves when everything published so far is folded. */
  start(): Promise<void> {
    return this.folded.start();
  }

  /** Resolves when the record at this offset is folded. */
  told(offset: number): Promise<void> {
    return this.folded.folded(TRUST_TOPIC, offset);
  }

  /** The variable `trust` of conditions. Empty if the topic is stale: missing scores allow nothing. */
  of(tenant_id: string, contract: ToolContract, principal: Principal): Readonly<Record<string, number | string>> {
    if (this.folded.staleness_ms(TRUST_TOPIC) > SILENCE_MAX_MS) return NOTHING;
    return trustFields(this.scores, tenant_id, contract, principal);
  }

  close(): Promise<void> {
    return this.folded.close();
  }
}
