/** One filter of a list. Its name is the one in the address and, without `within`, of the API's query. */
export interface Filter {
  name: string;
  label: string;
  /** `choices`: any of several, separated by commas; `within`: a time before now, sent as another name. */
  kind: 'text' | 'choice' | 'choices' | 'time' | 'within';
  /** `[value, label]` of a choice. */
  options?: readonly (readonly [string, string])[];
  hint?: string;
  mono?: boolean;
  /** Fewer characters are not sent. */
  characters_min?: number;
  /** Of `within`: the name of the API's query. */
  sent_as?: string;
}

export type FilterValues = Readonly<Record<string, string>>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SPANS_MS: Readonly<Record<string, number>> = { '1h': HOUR_MS, '24h': 24 * HOUR_MS, '7d': 7 * 24 * HOUR_MS, '30d': 30 * 24 * HOUR_MS };
/** The choices of a `within` filter. */
export const SPANS: readonly (readonly [string, string])[] = [
  ['1h', 'last hour'],
  ['24h', 'last 24 hours'],
  ['7d', 'last 7 days'],
  ['30d', 'last 30 days'],
];
const VALUE_CHARACTERS_MAX = 500;

/** The filters that an address sets. Choices that do not exist are left out: the link may be of another version. */
export function filtersOf(query: string, filters: readonly Filter[]): FilterValues {
  const all = new URLSearchParams(query);
  const values: Record<string, string> = {};
  for (const filter of filters) {
    const value = knownValue(filter, (all.get(filter.name) ?? '').trim().slice(0, VALUE_CHARACTERS_MAX));
    if (value !== '') values[filter.name] = value;
  }
  return values;
}

function knownValue({ kind, options = [] }: Filter, value: string): string {
  const is_option = (text: string) => options.some(([option]) => option === text);
  if (kind === 'within') return Object.hasOwn(SPANS_MS, value) ? value : '';
  if (kind === 'choice') return is_option(value) ? value : '';
  if (kind === 'choices') return [...new Set(value.split(','))].filter(is_option).join(',');
  if (kind === 'time') return Number.isNaN(Date.parse(value)) ? '' : value;
  return value;
}

/** The query of the API for these values. `now_ms` counts for relative times; it is cut to the minute, so that equal lists share an answer. */
export function apiQuery(values: FilterValues, filters: readonly Filter[], now_ms: number): Record<string, string> {
  const query: Record<string, string> = {};
  for (const { name, kind, characters_min = 1, sent_as = name } of filters) {
    const value = values[name];
    if (value === undefined || value.length < characters_min) continue;
    if (kind === 'within') query[sent_as] ??= new Date(Math.floor((now_ms - (SPANS_MS[value] ?? 0)) / MINUTE_MS) * MINUTE_MS).toISOString();
    else query[sent_as] = kind === 'time' ? new Date(value).toISOString() : value;
  }
  return query;
}

/** What a chip says, and the query that removes it. */
export interface Chip {
  name: string;
  label: string;
  value: string;
  /** For several choices each has its chip. */
  without: string;
}

export function chipsOf(values: FilterValues, filters: readonly Filter[]): Chip[] {
  return filters.flatMap((filter) => {
    const value = values[filter.name];
    if (value === undefined) return [];
    const parts = filter.kind === 'choices' ? value.split(',') : [value];
    return parts.map((part) => ({
      name: filter.name,
      label: filter.label,
      value: shownValue(filter, part),
      without: parts.filter((other) => other !== part).join(','),
    }));
  });
}

function shownValue({ kind, options = [] }: Filter, value: string): string {
  if (kind === 'within') return SPANS.find(([span]) => span === value)?.[1] ?? value;
  if (kind === 'time') return value.replace('T', ' ').replace(/(:00)?(\.000)?Z$/, ' UTC');
  return options.find(([option]) => option === value)?.[1] ?? value;
}
