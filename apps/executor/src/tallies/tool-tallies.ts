import type { Outcome, OutcomeStatus } from '@countersign/contracts';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Job } from '../calls/job.js';
import { Durations } from './durations.js';

/** Outcomes of the calls of one tool version at this executor. Plain numbers: nothing is allocated per call. */
class Tally {
  readonly durations = new Durations();
  readonly statuses = new Map<OutcomeStatus, number>();
  readonly errors = new Map<string, number>();
  retries = 0;
  cached = 0;
  cost = 0;

  constructor(
    readonly tool: string,
    readonly version: string,
  ) {}

  add(outcome: Outcome): void {
    const { status, error, extras } = outcome;
    this.durations.add(outcome.duration_ms);
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.retries += outcome.retry_count;
    if (error) {
      const kind = `${error.code} ${error.class}`;
      this.errors.set(kind, (this.errors.get(kind) ?? 0) + 1);
    }
    if (!extras) return;
    if (extras.cached) this.cached++;
    this.cost += extras.cost ?? 0;
  }

  /** Share of successes among calls that ran to an end: refused and cancelled ones say nothing about the tool. */
  get successRatio(): number {
    const failed = (this.statuses.get('failed') ?? 0) + (this.statuses.get('in_doubt') ?? 0);
    const succeeded = this.statuses.get('succeeded') ?? 0;
    return succeeded + failed === 0 ? 1 : succeeded / (succeeded + failed);
  }
}

/** Beyond this number, further tool versions share one series. */
const TALLIES_MAX = 2_000;

/** Throughput, success ratio, p50, p99, error classes and cost of each tool; computed when /metrics is scraped. */
export class ToolTallies {
  private readonly byTool = new Map<string, Map<string, Tally>>();
  private size = 0;

  ended({ call }: Job, outcome: Outcome): void {
    const known = this.byTool.get(call.tool)?.get(call.version);
    (known ?? this.tally(call.tool, call.version)).add(outcome);
  }

  all(): Tally[] {
    return [...this.byTool.values()].flatMap((versions) => [...versions.values()]);
  }

  private tally(tool: string, version: string): Tally {
    const [name, exact] = this.size < TALLIES_MAX ? [tool, version] : ['other', ''];
    const versions = this.byTool.get(name) ?? new Map<string, Tally>();
    const tally = versions.get(exact) ?? new Tally(name, exact);
    if (!versions.has(exact)) this.size++;
    this.byTool.set(name, versions.set(exact, tally));
    return tally;
  }
}

const LABELS = ['tool', 'version'];

/** Exports the tallies on /metrics. */
export function measureTools(tallies: ToolTallies, register: Registry): void {
  const counter = (name: string, help: string, labels: string[], rows: (tally: Tally) => [Record<string, string>, number][]) =>
    new Counter({
      name: `countersign_tool_${name}`,
      help,
      labelNames: [...LABELS, ...labels],
      registers: [register],
      collect() {
        this.reset();
        for (const tally of tallies.all())
          for (const [more, value] of rows(tally)) this.inc({ tool: tally.tool, version: tally.version, ...more }, value);
      },
    });
  const gauge = (name: string, help: string, labels: string[], rows: (tally: Tally) => [Record<string, string>, number][]) =>
    new Gauge({
      name: `countersign_tool_${name}`,
      help,
      labelNames: [...LABELS, ...labels],
      registers: [register],
      collect() {
        for (const tally of tallies.all())
          for (const [more, value] of rows(tally)) this.set({ tool: tally.tool, version: tally.version, ...more }, value);
      },
    });
  counter('calls_total', 'Calls that ended at this executor by status', ['status'], (tally) =>
    [...tally.statuses].map(([status, count]) => [{ status }, count]),
  );
  counter('errors_total', 'Errors by code and class', ['code', 'class'], (tally) =>
    [...tally.errors].map(([kind, count]) => [{ code: kind.split(' ')[0] as string, class: kind.split(' ')[1] as string }, count]),
  );
  counter('retries_total', 'Attempts beyond the first', [], (tally) => [[{}, tally.retries]]);
  counter('cached_total', 'Results served from the cache', [], (tally) => [[{}, tally.cached]]);
  counter('cost_usd_total', 'Cost of calls, as their contracts state it', [], (tally) => [[{}, tally.cost]]);
  counter('duration_seconds_sum', 'Total duration of calls', [], (tally) => [[{}, tally.durations.sum_ms / 1000]]);
  gauge('success_ratio', 'Share of succeeded calls among those that succeeded, failed or are in doubt', [], (tally) => [
    [{}, tally.successRatio],
  ]);
  gauge('cost_per_call_usd', 'Average cost of a call', [], (tally) => [[{}, tally.cost / Math.max(1, tally.durations.count)]]);
  gauge('duration_seconds', 'p50 and p99 of the duration since the start, accurate to 10 %', ['quantile'], (tally) =>
    [0.5, 0.99].map((share) => [{ quantile: String(share) }, tally.durations.quantile_ms(share) / 1000]),
  );
}
