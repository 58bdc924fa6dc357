import { type Caller, noSuchTool, noSuchVersion, Refusal, type Seen, Views, viewsBehind } from '@countersign/calls';
import { reportedKey, toolVersions } from '@countersign/domain';
import type { PastMoment } from '@countersign/process';
import { type Cursor, cursorText } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import type { Page } from '../lists/page-query.js';
import { parsePositions, positionText } from '../positions/positions.js';
import type { PastQuery, TrustEventsQuery, TrustQuery } from './trust.schemas.js';
import { eventsAnswer, publishedAnswer, scoredAnswer, time, toolScoreAnswer } from './trust-answers.js';
import { type TenantTrust, TrustReader } from './trust-reader.js';

interface NamedTool {
  tool: string;
  version: string;
}

const invalid = (path: string, message: string): Refusal =>
  new Refusal('invalid-request', message, { issues: [{ path, code: 'invalid', message }] });

/** Scores with their components, now and at any past offset. */
@Injectable()
export class TrustService {
  constructor(
    private readonly reader: TrustReader,
    private readonly configuration: ConfigurationService,
    private readonly views: Views,
  ) {}

  async tool({ tenant_id }: Caller, name: string, query: TrustQuery, seen: Seen): Promise<object | Refusal> {
    const named = this.named(tenant_id, name, query.version);
    if (named instanceof Refusal) return named;
    const found = await this.past(tenant_id, query, seen);
    if (found instanceof Refusal) return found;
    const { tool, version } = named;
    const score = found.scores.tool(tool, version);
    const part = found.scores.tools.get(tool)?.versions.get(version);
    const spans = await this.reader.spans(tenant_id, tool, version);
    const href = `/v1/tools/${encodeURIComponent(tool)}/trust/events?version=${encodeURIComponent(version)}`;
    return {
      tool,
      version,
      ...(score ? toolScoreAnswer(score, part) : { ...scoredAnswer(null), unscored: 'never_run' }),
      as_of: time(found.scores.at_ms),
      told: this.published(tenant_id, 'tool', tool, version),
      events: eventsAnswer(spans, href),
    };
  }

  /** The runs behind the trust in a version, by partition. */
  async events({ tenant_id }: Caller, name: string, query: TrustEventsQuery, seen: Seen): Promise<Page<object> | Refusal> {
    const named = this.named(tenant_id, name, query.version);
    if (named instanceof Refusal) return named;
    const after = query.cursor && placeOf(query.cursor);
    if (query.cursor && !after) return invalid('/cursor', 'is not a cursor of this list');
    if (!(await this.views.current(seen))) return viewsBehind();
    const runs = await this.reader.runs({ tenant_id, ...named, limit: query.limit, ...(after ? { after } : {}) });
    const last = runs.at(-1);
    const items = runs.map(({ topic, partition, offset, runs: _, ...of }) => ({
      position: positionText({ topic, partition, offset }),
      ...of,
    }));
    const more = last !== undefined && runs.length === query.limit;
    return { items, next_cursor: more ? cursorText({ at: last.offset, id: `${last.topic}:${last.partition}` }) : null };
  }

  async provider({ tenant_id }: Caller, provider: string, query: PastQuery, seen: Seen): Promise<object | Refusal> {
    const found = await this.past(tenant_id, query, seen);
    if (found instanceof Refusal) return found;
    const { scores } = found;
    if (!scores.providers().has(provider))
      return new Refusal('not-found', 'no tool of this provider has ever run', { reason: 'provider_not_found' });
    const published = this.published(tenant_id, 'provider', provider, null);
    return { provider, score: scores.provider(provider), as_of: time(scores.at_ms), told: published };
  }

  async agent({ tenant_id }: Caller, agent: string, query: PastQuery, seen: Seen): Promise<object | Refusal> {
    const found = await this.past(tenant_id, query, seen);
    if (found instanceof Refusal) return found;
    const { state, score } = await this.reader.agent(tenant_id, agent, found);
    if (state.runs.size === 0 && state.asked === 0)
      return new Refusal('not-found', 'this agent has made no calls', { reason: 'agent_not_found' });
    const { reported_reliability, verified_reliability, unscored, counted, confirmed_at_ms } = score;
    return {
      agent,
      ...scoredAnswer(score.scored),
      unscored,
      reliability: { reported: reported_reliability, verified: verified_reliability },
      runs: { counted: counted.runs, tools: Object.fromEntries(state.runs) },
      decided: { asked: state.asked, granted: state.granted },
      last_confirmed: time(confirmed_at_ms),
      as_of: time(found.scores.at_ms),
      told: this.published(tenant_id, 'agent', agent, null),
    };
  }

  private published(tenant_id: string, kind: 'tool' | 'provider' | 'agent', id: string, version: string | null) {
    return publishedAnswer(this.reader.parts.trustScores.scores.get(reportedKey(tenant_id, kind, id, version)));
  }

  private named(tenant_id: string, tool: string, wanted: string | undefined): NamedTool | Refusal {
    const { state } = this.configuration;
    const versions = toolVersions(state, tenant_id, tool);
    if (versions.length === 0) return noSuchTool(state, tenant_id, tool);
    const newest = versions.find(({ lifecycle }) => lifecycle === 'active') ?? versions[0];
    const found = wanted === undefined ? newest : versions.find((one) => one.tool.version === wanted);
    return found ? { tool, version: found.tool.version } : noSuchVersion(state, tenant_id, tool, wanted ?? '');
  }

  private async past(tenant_id: string, query: PastQuery, seen: Seen): Promise<TenantTrust | Refusal> {
    const moment = this.momentOf(query);
    if (moment instanceof Refusal) return moment;
    if (!(await this.views.current(seen))) return viewsBehind();
    return (await this.reader.of(tenant_id, moment)) ?? invalid('/at_offset', 'the record does not exist');
  }

  private momentOf({ as_of, at_offset }: PastQuery): PastMoment | undefined | Refusal {
    if (as_of !== undefined && at_offset !== undefined) return invalid('/at_offset', 'send as_of or at_offset, not both');
    if (as_of !== undefined) return { at_ms: Date.parse(as_of) };
    if (at_offset === undefined) return undefined;
    const [at] = parsePositions(at_offset);
    if (!at || !this.reader.hasTopic(at.topic, at.partition))
      return invalid('/at_offset', 'must be <topic>:<partition>:<offset> of a record');
    return at;
  }
}

function placeOf({ at, id }: Cursor): { topic: string; partition: number; offset: number } | undefined {
  const [topic, partition = ''] = id.split(':');
  return topic !== undefined && /^\d{1,5}$/.test(partition) ? { topic, partition: Number(partition), offset: at } : undefined;
}
