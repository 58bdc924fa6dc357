import type { AgentScore, AgentTrust, CircuitState, ToolScore } from '@countersign/domain';
import {
  agentOf,
  type Clock,
  type PastMoment,
  PastTrust,
  type StoredRating,
  type TrustScoreCache,
  TrustScores,
  toolsOf,
} from '@countersign/process';
import { type Store, type TrustBound, type TrustRunsQuery, trustFacts, trustRuns, trustSpans, trustSums } from '@countersign/store';
import type { CircuitReader } from '../circuits/circuit-reader.js';
import type { OperatorCommands } from '../usage/operator-commands.js';

/** The scores of a tenant, now or at a past moment. */
export interface TenantTrust {
  scores: TrustScores;
  bound: TrustBound | undefined;
}

/** The measured, not declared, values of a version in its registry record. */
export interface Measured {
  trust_score: number | null;
  rating: { mean: number; count: number } | null;
  usage: { runs: number; succeeded: number; callers: number } | null;
  verified_at_ms: number | null;
  circuit: CircuitState;
}

export interface RatingRow extends StoredRating {
  version: string;
}

const NOT_MEASURED: Omit<Measured, 'circuit'> = { trust_score: null, rating: null, usage: null, verified_at_ms: null };
const AGENT = 'agent:';

/** Reads trust scores and ratings from the views. */
export class TrustReader {
  constructor(
    private readonly store: Store,
    private readonly past: PastTrust,
    private readonly clock: Clock,
    readonly parts: {
      trustScores: TrustScoreCache;
      commands: OperatorCommands;
      topics: ReadonlyMap<string, number>;
      circuits: CircuitReader;
    },
  ) {}

  hasTopic(topic: string, partition: number): boolean {
    return partition < (this.parts.topics.get(topic) ?? 0);
  }

  /** Undefined if no such record exists. */
  async of(tenant_id: string, moment?: PastMoment): Promise<TenantTrust | undefined> {
    const bound = moment && (await this.past.bound({ tenant_id }, moment));
    if (moment && !bound) return undefined;
    const [sums, facts] = await Promise.all([trustSums(this.store, { tenant_id }, bound), trustFacts(this.store, { tenant_id }, bound)]);
    return { scores: new TrustScores(toolsOf(sums, facts), bound?.at_ms ?? this.clock.now_ms()), bound };
  }

  async agent(tenant_id: string, id: string, { scores, bound }: TenantTrust): Promise<{ state: AgentTrust; score: AgentScore }> {
    const state = agentOf(await trustSums(this.store, { tenant_id, principal: AGENT + id }, bound));
    return { state, score: scores.agent(state) };
  }

  /** By tool and version; unmeasured values are null. */
  async measured(tenant_id: string): Promise<(tool: string, version: string) => Measured> {
    const [trust, circuits] = await Promise.all([this.of(tenant_id), this.parts.circuits.states(tenant_id)]);
    const { scores } = trust as TenantTrust;
    return (tool, version) => ({ ...measuredOf(scores, tool, version), circuit: circuits(tool, version) });
  }

  spans(tenant_id: string, tool: string, version: string) {
    return trustSpans(this.store, { tenant_id, tool, version });
  }

  runs(query: TrustRunsQuery) {
    return trustRuns(this.store, query);
  }

  /** The newest rating of each rater, by rater. */
  async ratings(tenant_id: string, tool: string): Promise<RatingRow[]> {
    const newest = new Map<string, RatingRow>();
    for (const { kind, version, detail } of await trustFacts(this.store, { tenant_id, tools: [tool] })) {
      if (kind !== 'rated') continue;
      const rating = JSON.parse(detail) as StoredRating;
      newest.set(rating.rater, { ...rating, version });
    }
    return [...newest.values()];
  }

  /** Whether a run of the principal had a verified effect, or succeeded if the tool has no read-back. */
  async hasUsed(tenant_id: string, tool: string, principal: string): Promise<boolean> {
    const query = { tenant_id, tools: [tool] };
    const [sums, facts] = await Promise.all([trustSums(this.store, { ...query, principal }), trustFacts(this.store, query)]);
    const known = toolsOf([], facts).get(tool);
    return sums.some(({ fact, version, succeeded, verified }) => {
      const reads_back = known?.versions.get(version)?.registered?.reads_back === true;
      return fact === 'run' && (reads_back ? verified : succeeded) > 0;
    });
  }
}

function measuredOf(scores: TrustScores, tool: string, version: string): Omit<Measured, 'circuit'> {
  const state = scores.tools.get(tool);
  const score: ToolScore | undefined = scores.tool(tool, version);
  if (!state || !score) return NOT_MEASURED;
  const own = [...(state.versions.get(version)?.runs.values() ?? [])];
  const sum = (of: 'runs' | 'succeeded') => own.reduce((total, counts) => total + counts[of], 0);
  const stars = [...state.ratings.values()].map(({ rating }) => rating);
  const mean = stars.reduce((total, each) => total + each, 0) / stars.length;
  return {
    trust_score: score.scored?.score ?? null,
    rating: stars.length === 0 ? null : { mean, count: stars.length },
    usage: own.length === 0 ? null : { runs: sum('runs'), succeeded: sum('succeeded'), callers: own.length },
    verified_at_ms: score.verified_at_ms,
  };
}
