import { firstMeta } from '@countersign/contracts';
import type { AgentTrust } from '@countersign/domain';
import type { NewRecord } from '@countersign/event-log';
import { type AppDeps, agentOf, TRUST_TOPIC, TrustScoreCache, TrustScores, toolsOf } from '@countersign/process';
import {
  projectionPosition,
  type Store,
  type TrustCut,
  type TrustTouched,
  trustFacts,
  trustFactsTouched,
  trustSums,
  trustTouched,
} from '@countersign/store';
import { cloudEventHeaders } from '../exports/cloud-event.js';
import { type Moved, movedScores } from './moved-scores.js';

const EVERY_MS = 500;
/** Scores decay over time: all are checked again at this interval. */
const SWEEP_MS = 3_600_000;
/** After a long check the next one is delayed, up to a limit. */
const PAUSES = 4;
const PAUSE_MAX_MS = 2_000;
const AGENT = 'agent:';

const keyOf = ({ topic, partition }: { topic: string; partition: number }) => `${topic}/${partition}`;

/** Publishes changed scores on trust-view. Only one projector does so at a time: the one that folds the global topics. */
export class TrustScorePublisher {
  private readonly trustScores: TrustScoreCache;
  private readonly store: Store;
  private seen: TrustCut[] = [];
  private swept_ms = Number.NEGATIVE_INFINITY;
  /** Tenants to check again, with their agents. */
  private waiting = new Map<string, readonly string[]>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private closed = false;

  /** `chosen`: whether this process publishes. */
  constructor(
    private readonly deps: Pick<AppDeps, 'log' | 'codec' | 'schemas' | 'store' | 'clock' | 'logger'>,
    private readonly chosen: () => boolean,
  ) {
    this.trustScores = new TrustScoreCache(deps);
    this.store = deps.store;
  }

  async start(): Promise<void> {
    await this.trustScores.start();
    this.arm(EVERY_MS);
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.looking;
    await this.trustScores.close();
  }

  private arm(in_ms: number): void {
    if (this.closed) return;
    this.timer = setTimeout(() => {
      const since = performance.now();
      this.looking = this.look()
        .catch((cause) =>
          this.deps.logger.warn({ event: 'trust_refresh_failed', cause: String(cause) }, 'trust scores could not be refreshed; retrying'),
        )
        .then(() => this.arm(Math.min(PAUSE_MAX_MS, Math.max(EVERY_MS, (performance.now() - since) * PAUSES))));
    }, in_ms);
    this.timer.unref();
  }

  /** Checks every tenant with events since the last check. */
  private async look(): Promise<void> {
    if (!this.chosen()) {
      this.seen = [];
      this.swept_ms = Number.NEGATIVE_INFINITY;
      return;
    }
    const position = await projectionPosition(this.store);
    const now = performance.now();
    const sweep = now - this.swept_ms >= SWEEP_MS;
    const seen = new Map(this.seen.map((cut) => [keyOf(cut), cut.next_offset]));
    const news = position.some((at) => seen.get(keyOf(at)) !== at.next_offset);
    if (!sweep && !news && this.waiting.size === 0) return;
    const touched = await trustTouched(this.store, sweep ? [] : this.seen);
    const tenants = new Set([...touched.map(({ tenant_id }) => tenant_id), ...this.waiting.keys()]);
    const { waiting } = this;
    for (const { tenant_id } of await trustFactsTouched(this.store, sweep ? [] : this.seen)) tenants.add(tenant_id);
    this.waiting = new Map();
    for (const tenant_id of tenants)
      await this.tell(tenant_id, [...new Set([...agentsIn(touched, tenant_id), ...(waiting.get(tenant_id) ?? [])])]);
    this.seen = position.map(({ topic, partition, next_offset }) => ({ topic, partition, next_offset }));
    if (sweep) this.swept_ms = now;
  }

  private async tell(tenant_id: string, agents: readonly string[]): Promise<void> {
    const [sums, facts] = await Promise.all([trustSums(this.store, { tenant_id }), trustFacts(this.store, { tenant_id })]);
    const at_ms = this.deps.clock.now_ms();
    const states = new Map<string, AgentTrust>();
    for (const id of agents) states.set(id, agentOf(sums.filter(({ principal }) => principal === AGENT + id)));
    const { moved, postponed } = movedScores(this.trustScores.scores, tenant_id, new TrustScores(toolsOf(sums, facts), at_ms), states);
    if (postponed) this.waiting.set(tenant_id, agents);
    if (moved.length === 0) return;
    const offsets = await this.deps.log.append(moved.map((one) => this.record(tenant_id, one)));
    await this.trustScores.told(offsets.at(-1) as number);
  }

  private record(tenant_id: string, moved: Moved): NewRecord {
    const { at_ms, subject, name, version } = moved;
    const meta = firstMeta(tenant_id, at_ms);
    const about = `${subject}/${name}${version === null ? '' : `@${version}`}`;
    const ce = { id: meta.event_id, type: 'dev.countersign.trust-score.v1', subject: about, time_ms: at_ms, tenant_id };
    const headers = { event_type: 'trust_score_changed', ...cloudEventHeaders(ce) };
    return {
      topic: TRUST_TOPIC,
      partition: 0,
      key: tenant_id,
      value: this.deps.codec.encode('trust_score_changed', { meta, ...moved }),
      headers,
    };
  }
}

const agentsIn = (touched: readonly TrustTouched[], tenant_id: string): string[] => [
  ...new Set(
    touched
      .filter((one) => one.tenant_id === tenant_id && one.principal.startsWith(AGENT))
      .map(({ principal }) => principal.slice(AGENT.length)),
  ),
];
