import type { ToolSummary } from './tool-summary.js';

/** What the list is narrowed to; an empty text narrows nothing. It lives in the address. */
export interface ToolFilters {
  q: string;
  category: string;
  effect: string;
  lifecycle: string;
  auth: string;
  trust: string;
}

export const FILTER_NAMES = ['q', 'category', 'effect', 'lifecycle', 'auth', 'trust'] as const satisfies readonly (keyof ToolFilters)[];

/** Values of `auth`: of the secrets that a tool needs, what the calls of this person find. */
export const AUTH_FILTERS = { none: 'No secret needed', found: 'Secrets found', missing: 'Secret missing' } as const;
/** Values of `trust`: the lowest score that is shown. */
export const TRUST_FILTERS = { '0.8': 'At least 0.80', '0.5': 'At least 0.50', unknown: 'Not known yet' } as const;

export function filtersFrom(query: string): ToolFilters {
  const all = new URLSearchParams(query);
  const values = FILTER_NAMES.map((name) => [name, (all.get(name) ?? '').slice(0, 200)]);
  return Object.fromEntries(values) as Record<keyof ToolFilters, string>;
}

/** The query of a link that keeps these filters. */
export function filterQuery(filters: ToolFilters): string {
  const set = FILTER_NAMES.filter((name) => filters[name] !== '').map((name) => [name, filters[name]]);
  const text = new URLSearchParams(set).toString();
  return text === '' ? '' : `?${text}`;
}

/** Whether a secret of this name is there for the calls of this person. */
export type HasSecret = (name: string) => boolean;

/** The tools that fit, best first: those that the gateway found by meaning, then those that contain the words. */
export function filtered(
  tools: readonly ToolSummary[],
  filters: ToolFilters,
  found: readonly string[] | undefined,
  hasSecret: HasSecret,
): ToolSummary[] {
  const fitting = tools.filter((tool) => isFitting(tool, filters, hasSecret));
  if (filters.q.trim() === '') return fitting;
  const rank = new Map((found ?? []).map((name, at) => [name, at]));
  const words = filters.q.toLowerCase().split(/\s+/).filter(Boolean);
  const containing = fitting.filter((tool) => rank.has(tool.name) || words.every((word) => textOf(tool).includes(word)));
  const placeOf = ({ name }: ToolSummary) => rank.get(name) ?? Number.MAX_SAFE_INTEGER;
  return containing.sort((a, b) => placeOf(a) - placeOf(b));
}

const textOf = ({ name, title, category, description }: ToolSummary): string => `${name} ${title} ${category} ${description}`.toLowerCase();

function isFitting(tool: ToolSummary, { category, effect, lifecycle, auth, trust }: ToolFilters, hasSecret: HasSecret): boolean {
  if (category !== '' && tool.category !== category) return false;
  if (effect !== '' && tool.effect_class !== effect) return false;
  if (lifecycle !== '' && tool.lifecycle !== lifecycle) return false;
  if (trust === 'unknown' && tool.trust !== null) return false;
  if (trust !== '' && trust !== 'unknown' && (tool.trust ?? -1) < Number(trust)) return false;
  return auth === '' || authState(tool.auth, hasSecret) === auth;
}

/** What the calls of this person find of the secrets that a tool needs. */
export function authState(needed: readonly string[], hasSecret: HasSecret): 'none' | 'found' | 'missing' {
  if (needed.length === 0) return 'none';
  return needed.every(hasSecret) ? 'found' : 'missing';
}
