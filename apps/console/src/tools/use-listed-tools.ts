import { useMemo } from 'preact/hooks';
import type { QueryResult } from '../gateway/use-query.js';
import { usePlace } from '../navigation/navigation.js';
import { type SecretOf, useSecrets } from './secrets.js';
import { filtered, filtersFrom } from './tool-filters.js';
import { type ListedTools, useFoundNames, useToolSummaries } from './tool-queries.js';
import type { ToolSummary } from './tool-summary.js';

interface Listed {
  /** Those that fit the filters of the address. */
  listed: readonly ToolSummary[] | undefined;
  all: readonly ToolSummary[] | undefined;
  has_more: boolean;
  unhealthy: readonly string[];
  secretOf: SecretOf | undefined;
  result: QueryResult<ListedTools>;
}

/** The tools that fit the filters of the address, kept up to date. */
export function useListedTools(): Listed {
  const { query } = usePlace();
  const result = useToolSummaries();
  const filters = useMemo(() => filtersFrom(query), [query]);
  const found = useFoundNames(filters.q);
  const secretOf = useSecrets();
  const all = result.data?.tools;
  const listed = useMemo(
    () => all && filtered(all, filters, found, (name) => secretOf?.(name) !== undefined),
    [all, filters, found, secretOf],
  );
  return { listed, all, has_more: result.data?.has_more ?? false, unhealthy: result.data?.unhealthy ?? [], secretOf, result };
}
