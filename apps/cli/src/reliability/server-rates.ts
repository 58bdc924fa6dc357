import { isReadOnly, type ToolContract } from '@countersign/contracts';
import { type KnownTool, type LatencyRange, resolveTool, type ToolUse } from '@countersign/domain';
import { type Api, Refused } from '../operator-api.js';
import { type RateReader, type ToolRates, unmeasuredRates } from './tool-rates.js';

type VersionRecord = Pick<
  ToolContract,
  'name' | 'version' | 'input_schema' | 'output_schema' | 'effect_class' | 'reversibility' | 'has_compensate'
> & { lifecycle: string; sla: (LatencyRange & { availability: number }) | null };

interface Trust {
  reliability?: { reported: number | null };
  runs?: { counted: number };
}

interface Usage {
  items: { tool?: string | null; in_doubt_rate: number | null; p50_ms: number | null; p99_ms: number | null }[];
}

interface Measured {
  in_doubt: number;
  latency: LatencyRange | null;
}

const NOT_MEASURED: Measured = { in_doubt: 0, latency: null };
const RUNS: ReadonlySet<string> = new Set(['active', 'deprecated']);

const query = (of: Record<string, string>): string => new URLSearchParams(of).toString();

/** The tools of a running server, with their trust and usage. */
export class ServerRates implements RateReader {
  private readonly records = new Map<string, VersionRecord[]>();
  private readonly usage = new Map<string, Measured>();
  /** Why the usage report could not be read. */
  usage_fault: string | null = null;

  constructor(
    private readonly api: Api,
    private readonly default_reliability: number,
  ) {}

  /** Reads the versions of these tools; one that does not exist has none. @throws Refused if the server does not answer */
  async read(names: Iterable<string>): Promise<readonly KnownTool[]> {
    for (const name of new Set(names)) this.records.set(name, await this.versionsOf(name));
    return [...this.records.values()].flat().map((record): KnownTool => {
      const { name, version, input_schema, output_schema, reversibility, has_compensate, effect_class, sla } = record;
      const state = RUNS.has(record.lifecycle) ? (record.lifecycle as 'active' | 'deprecated') : 'blocked';
      const traits = { is_write: !isReadOnly(effect_class), reversibility, has_compensate, latency_p99_ms: sla?.p99_ms ?? null };
      return { name, version, state, input_schema, output_schema, ...traits };
    });
  }

  async rateOf(use: ToolUse): Promise<ToolRates> {
    const record = await this.recordOf(use);
    if (!record) return unmeasuredRates(use, this.default_reliability);
    const { name, version, sla } = record;
    const { reliability, runs } = await this.api.ask<Trust>('GET', `/v1/tools/${encodeURIComponent(name)}/trust?${query({ version })}`);
    const { in_doubt, latency } = await this.measured(name);
    // What the definition declares of this use is more precise than the contract.
    const unmeasured = unmeasuredRates(use, sla?.availability ?? this.default_reliability);
    const declared = unmeasured.latency ?? (sla && { p50_ms: sla.p50_ms, p99_ms: sla.p99_ms });
    const known = { version, latency: latency ?? declared, latency_source: latency ? 'measured' : declared && 'declared' } as const;
    const reported = reliability?.reported ?? null;
    if (reported === null) return { ...unmeasured, ...known, source: sla ? 'declared' : unmeasured.source };
    // What is neither succeeded nor in doubt failed. The record does not say here whether with an effect.
    const share = Math.min(in_doubt, 1 - reported);
    return { ...known, reliability: reported + share, in_doubt: share, runs: Math.round(runs?.counted ?? 0), source: 'measured' };
  }

  private async recordOf(use: ToolUse): Promise<VersionRecord | undefined> {
    const tools = await this.read(this.records.has(use.tool) ? [] : [use.tool]);
    const found = resolveTool(use, tools);
    return this.records.get(use.tool)?.find(({ version }) => version === found?.version);
  }

  private async versionsOf(name: string): Promise<VersionRecord[]> {
    try {
      return (await this.api.ask<{ items: VersionRecord[] }>('GET', `/v1/tools/${encodeURIComponent(name)}/versions`)).items;
    } catch (cause) {
      if (cause instanceof Refused && cause.status === 404) return [];
      throw cause;
    }
  }

  /** Doubts and latencies of the last 30 days, of all versions of a tool together. */
  private async measured(tool: string): Promise<Measured> {
    const known = this.usage.get(tool);
    if (known) return known;
    const read = await this.readUsage(tool);
    this.usage.set(tool, read);
    return read;
  }

  private async readUsage(tool: string): Promise<Measured> {
    try {
      const { items } = await this.api.ask<Usage>('GET', `/v1/usage?${query({ group_by: 'tool', tool })}`);
      const line = items.find((item) => item.tool === tool);
      if (!line) return NOT_MEASURED;
      const { in_doubt_rate, p50_ms, p99_ms } = line;
      const latency = p50_ms === null || p99_ms === null ? null : { p50_ms, p99_ms: Math.max(p50_ms, p99_ms) };
      return { in_doubt: Math.min(1, in_doubt_rate ?? 0), latency };
    } catch (cause) {
      if (!(cause instanceof Refused) || cause.status !== 403) throw cause;
      this.usage_fault = cause.message;
      return NOT_MEASURED;
    }
  }
}
