import type { RatesFile } from '@countersign/definitions';
import type { LatencyRange, ToolUse } from '@countersign/domain';

/** measured: the trust data of a server. declared: by the definition, or by the author of the tool. default: nothing is known. */
export type RateSource = 'measured' | 'file' | 'declared' | 'default';

/** How the calls of one version of a tool end. */
export interface ToolRates {
  /** The version that the use resolves to; the range itself if that is not known. */
  version: string;
  /** 1 - the share of failures without an effect. */
  reliability: number;
  in_doubt: number;
  /** Null: unknown. */
  runs: number | null;
  source: RateSource;
  latency: LatencyRange | null;
  latency_source: RateSource | null;
}

/** Where the rates of tools come from. */
export interface RateReader {
  rateOf(use: ToolUse): Promise<ToolRates>;
}

/** The rates of a tool without runs: what the definition declares of this use, else the default. Of a latency only the p99 is declared. */
export function unmeasuredRates({ version, availability, p99_ms }: ToolUse, default_reliability: number): ToolRates {
  const latency = p99_ms === undefined ? null : { p50_ms: p99_ms, p99_ms };
  return {
    ...{ version, reliability: availability ?? default_reliability, in_doubt: 0, runs: null },
    ...{ source: availability === undefined ? 'default' : 'declared', latency, latency_source: latency && 'declared' },
  };
}

/** The rates of a file, by `tool@range` as the definition writes it, or by tool. */
export class FileRates implements RateReader {
  private readonly tools: ReadonlyMap<string, RatesFile['tools'][string]>;

  constructor(
    { tools }: RatesFile,
    private readonly default_reliability: number,
  ) {
    this.tools = new Map(Object.entries(tools));
  }

  async rateOf(use: ToolUse): Promise<ToolRates> {
    const { tool, version } = use;
    const found = this.tools.get(`${tool}@${version}`) ?? this.tools.get(tool);
    if (!found) return unmeasuredRates(use, this.default_reliability);
    const { reliability, in_doubt, runs = null, p50_ms, p99_ms } = found;
    const latency = p50_ms === undefined || p99_ms === undefined ? null : { p50_ms, p99_ms };
    return { version, reliability, in_doubt, runs, source: 'file', latency, latency_source: latency && 'file' };
  }
}
