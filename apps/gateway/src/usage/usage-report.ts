import {
  addUsage,
  type ConfigurationState,
  catalogued,
  DAY_MS,
  latencyQuantile,
  noUsage,
  type UsageSums,
  usageMeasures,
  usageRates,
  violationKinds,
} from '@countersign/domain';
import {
  latencyBuckets,
  modeCorrections,
  refusedRequests,
  replayAnswers,
  type Sql,
  type SummedRow,
  type UsageQuery,
  usageByCase,
  usageByName,
  usageByTool,
} from '@countersign/store';
import type { UsageGroup, UsageLine } from './usage.schemas.js';

interface Group {
  names: Readonly<Record<string, string | null>>;
  sums: UsageSums;
  /** Only in groups by tool or day. */
  latency: Map<number, number>;
  replays: { duplicates: number; compared: number; equal_answers: number };
  /** Refused requests by kind; null if this grouping does not have them. */
  refused: Record<string, number> | null;
}

const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

function sumsOf(row: SummedRow): UsageSums {
  const sums = noUsage();
  for (const measure of usageMeasures) sums[measure] = row[measure];
  return sums;
}

/** One line of the report. `distributions`: whether this grouping has latencies and replays. */
function lineOf({ names, sums, latency, replays, refused }: Group, distributions: boolean): UsageLine {
  const { timed: _timed, duration_us: _us, cost_micros: _micros, ...counts } = sums;
  const quantile = (q: number) => {
    const us = distributions ? latencyQuantile(latency, q) : null;
    return us === null ? null : us / 1000;
  };
  const correctness = replays.compared > 0 ? replays.equal_answers / replays.compared : null;
  const refusals = Object.values(refused ?? {}).reduce((sum, times) => sum + times, 0);
  return {
    ...names,
    ...counts,
    violations: counts.violations + refusals,
    refused_requests: refused,
    ...usageRates(sums, refusals),
    p50_ms: quantile(0.5),
    p99_ms: quantile(0.99),
    replay: distributions ? { ...replays, correctness } : null,
  };
}

/** The groups of a report by name. */
class Groups {
  private readonly known = new Map<string, Group>();

  at(names: Group['names']): Group {
    const key = JSON.stringify(Object.values(names));
    const group = this.known.get(key) ?? {
      names,
      sums: noUsage(),
      latency: new Map(),
      replays: { duplicates: 0, compared: 0, equal_answers: 0 },
      refused: null,
    };
    this.known.set(key, group);
    return group;
  }

  all(): Iterable<Group> {
    return this.known.values();
  }

  sorted(): [string, Group][] {
    return [...this.known].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

type ToolVersionName = { tool: string; version: string };

/** Returns the group names of a row: a tool with several capabilities counts under each. */
type Naming = (row: Partial<ToolVersionName> & { agent?: string; day?: number }) => readonly Group['names'][];

/** Reads usage from the views and groups it as requested; adapters and capabilities come from the current catalog. */
export class UsageReport {
  constructor(
    private readonly sql: Sql,
    private readonly config: () => ConfigurationState,
  ) {}

  async read(query: UsageQuery, by: UsageGroup, page: { limit: number; after?: string | undefined }) {
    const total = await this.total(query);
    if (by === 'case') return { total, ...(await this.cases(query, page)) };
    const groups = await this.groups(query, by);
    const distributions = by !== 'agent' && query.agent === undefined;
    const { after, limit } = page;
    const rest = groups.sorted().filter(([key]) => after === undefined || key > after);
    const shown = rest.slice(0, limit);
    const next = rest.length > shown.length ? shown.at(-1)?.[0] : undefined;
    return { total, items: shown.map(([, group]) => lineOf(group, distributions)), next };
  }

  private async total(query: UsageQuery): Promise<UsageLine> {
    const groups = new Groups();
    await this.fill(groups, query, () => [{}], true);
    await this.fillRefused(groups, query, () => [{}]);
    return lineOf(groups.at({}), query.agent === undefined);
  }

  private async groups(query: UsageQuery, by: Exclude<UsageGroup, 'case'>): Promise<Groups> {
    const groups = new Groups();
    if (by !== 'agent' && by !== 'day') await this.fill(groups, query, this.naming(by, query.tenant_id), true);
    else {
      for (const row of await usageByName(this.sql, query, by)) {
        const name = by === 'day' ? dayText(Number(row.name)) : row.name;
        addUsage(groups.at({ [by]: name }).sums, sumsOf(row));
      }
      const naming: Naming = ({ agent, day }) => (by === 'day' ? [{ day: dayText(day as number) }] : [{ agent: agent ?? '' }]);
      await this.fill(groups, query, naming, false);
      await this.fillRefused(groups, query, naming);
    }
    return groups;
  }

  /** Adds counts by tool and version (`sums`), latencies, replays and corrections. */
  private async fill(groups: Groups, query: UsageQuery, naming: Naming, sums: boolean): Promise<void> {
    if (sums)
      for (const row of await usageByTool(this.sql, query)) for (const names of naming(row)) addUsage(groups.at(names).sums, sumsOf(row));
    for (const row of await modeCorrections(this.sql, query))
      for (const names of naming(row)) groups.at(names).sums.misclassified += row.more - row.less;
    if (query.agent !== undefined) return;
    for (const row of await latencyBuckets(this.sql, query)) {
      for (const names of naming(row)) {
        const { latency } = groups.at(names);
        latency.set(row.bucket, (latency.get(row.bucket) ?? 0) + row.calls);
      }
    }
    for (const { duplicates, compared, equal_answers, ...row } of await replayAnswers(this.sql, query)) {
      for (const names of naming(row)) {
        const { replays } = groups.at(names);
        replays.duplicates += duplicates;
        replays.compared += compared;
        replays.equal_answers += equal_answers;
      }
    }
  }

  /** Adds requests that were refused before they became calls: counted by agent and day, without a tool. */
  private async fillRefused(groups: Groups, query: UsageQuery, naming: Naming): Promise<void> {
    if (query.tool !== undefined) return;
    for (const group of groups.all()) group.refused ??= {};
    for (const { kind, times, ...row } of await refusedRequests(this.sql, query, violationKinds)) {
      for (const names of naming(row)) {
        const group = groups.at(names);
        group.refused = { ...group.refused, [kind]: (group.refused?.[kind] ?? 0) + times };
      }
    }
  }

  private async cases(query: UsageQuery, { limit, after }: { limit: number; after?: string | undefined }) {
    const rows = await usageByCase(this.sql, { ...query, limit: limit + 1, after });
    const items = rows.slice(0, limit).map((row) => {
      const replays = { duplicates: 0, compared: 0, equal_answers: 0 };
      return lineOf({ names: { case_id: row.name }, sums: sumsOf(row), latency: new Map(), replays, refused: null }, false);
    });
    return { items, next: rows.length > limit ? rows[limit - 1]?.name : undefined };
  }

  private naming(by: 'tool' | 'adapter' | 'capability' | 'adapter,capability', tenant_id: string): Naming {
    return ({ tool = '', version = '' }) => {
      if (by === 'tool') return [{ tool }];
      const known = catalogued(this.config(), tenant_id, tool, version);
      const adapter = known?.runs_on.adapter || null;
      if (by === 'adapter') return [{ adapter }];
      const named = known?.contract.capabilities ?? [];
      const capabilities = known && named.length === 0 ? [known.contract.category] : named;
      const all: (string | null)[] = capabilities.length > 0 ? capabilities : [null];
      return all.map((capability): Group['names'] => (by === 'capability' ? { capability } : { adapter, capability }));
    };
  }
}
