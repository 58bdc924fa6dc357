import type { ToolContract } from '@countersign/contracts';
import type { TenantToolVersion, ToolVersion } from '@countersign/domain';

/** A search for tools. */
export interface ToolQuery {
  q?: string | undefined;
  capabilities: readonly string[];
  /** Only tools with a known score of at least this. */
  min_trust?: number | undefined;
  max_latency_ms?: number | undefined;
  max_cost?: number | undefined;
}

export interface RankedTool {
  version: TenantToolVersion;
  /** 0 to 1, from the known parts: an unmeasured part has no weight. */
  score: number;
}

const WORDS = /[^\p{L}\p{N}]+/u;
const words = (text: string): string[] =>
  text
    .toLowerCase()
    .split(WORDS)
    .filter((word) => word !== '');

/** `data.query` matches itself and everything below it. */
const fits = (tag: string, wanted: string): boolean => tag === wanted || tag.startsWith(`${wanted}.`);

function relevance(contract: ToolContract, query: ToolQuery): number {
  const tags = contract.capabilities ?? [];
  const matches = query.capabilities.map((each) => (tags.some((tag) => fits(tag, each)) ? 1 : 0) as number);
  if (query.q !== undefined) {
    const inName = new Set(words(`${contract.name} ${contract.title} ${contract.category} ${tags.join(' ')}`));
    const inText = new Set(words(contract.description));
    const of = (word: string): number =>
      inName.has(word) ? 1 : inText.has(word) ? 0.5 : [...inName].some((each) => each.includes(word)) ? 0.3 : 0;
    matches.push(...words(query.q).map(of));
  }
  return matches.length === 0 ? 1 : matches.reduce((sum, each) => sum + each, 0) / matches.length;
}

function allowed(contract: ToolContract, query: ToolQuery): boolean {
  const p95 = contract.sla?.p95_ms;
  if (query.max_latency_ms !== undefined && (p95 === undefined || p95 > query.max_latency_ms)) return false;
  if (query.max_cost !== undefined && (contract.cost_per_call ?? 0) > query.max_cost) return false;
  return query.capabilities.every((wanted) => (contract.capabilities ?? []).some((tag) => fits(tag, wanted)));
}

/** Null: no score. */
type TrustOf = (tool: string, version: string) => number | null;

/** Trust 0.4, relevance 0.3, latency 0.2, cost 0.1, normalized to the known parts: Pseudo-Algorithm 14.13. */
function scoreOf(contract: ToolContract, query: ToolQuery, most: { latency_ms: number; cost: number }, trust: number | null): number {
  const parts: [weight: number, value: number][] = [[0.3, relevance(contract, query)]];
  if (trust !== null) parts.push([0.4, trust]);
  if (contract.sla) parts.push([0.2, 1 - contract.sla.p95_ms / (query.max_latency_ms ?? Math.max(1, most.latency_ms))]);
  if (contract.cost_per_call !== undefined) parts.push([0.1, 1 - contract.cost_per_call / (query.max_cost ?? Math.max(1e-9, most.cost))]);
  const weight = parts.reduce((sum, [each]) => sum + each, 0);
  return parts.reduce((sum, [each, value]) => sum + each * Math.max(0, Math.min(1, value)), 0) / weight;
}

/** The matching versions, best first; ties are ordered by name. */
export function searchTools(versions: readonly TenantToolVersion[], query: ToolQuery, trustOf: TrustOf): RankedTool[] {
  const trusted = (tool: ToolVersion) => query.min_trust === undefined || (trustOf(tool.name, tool.version) ?? -1) >= query.min_trust;
  const fitting = versions.filter(({ tool }) => allowed(tool.contract, query) && relevance(tool.contract, query) > 0 && trusted(tool));
  const latencies = fitting.map(({ tool }) => tool.contract.sla?.p95_ms ?? 0);
  const most = { latency_ms: Math.max(1, ...latencies), cost: Math.max(0, ...fitting.map(({ tool }) => tool.contract.cost_per_call ?? 0)) };
  return fitting
    .map((version) => ({
      version,
      score: Math.round(scoreOf(version.tool.contract, query, most, trustOf(version.tool.name, version.tool.version)) * 1000) / 1000,
    }))
    .sort((a, b) => b.score - a.score || (a.version.tool.name < b.version.tool.name ? -1 : 1));
}
